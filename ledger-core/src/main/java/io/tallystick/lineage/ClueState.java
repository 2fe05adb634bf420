package io.tallystick.lineage;

import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.Digest;
import io.tallystick.model.TreeSize;

/// The state of a clue in the first `size` leaves of a strand's log, as the last seal among them
/// states it. Made only by verifying a {@link ClueProof}.
public sealed interface ClueState {
  Digest clueId();

  /// The size of the head under which it was proven.
  TreeSize size();

  /// How many journals name the clue.
  long count();

  /// No journal names it.
  record NeverUsed(Digest clueId, TreeSize size) implements ClueState {
    @Override
    public long count() {
      return 0;
    }
  }

  /// At least one does.
  record Used(Digest clueId, TreeSize size, ClueValue value) implements ClueState {
    @Override
    public long count() {
      return value.count();
    }

    /// Whether its last journal is a clueDelete.
    public boolean isDeleted() {
      return value.isDeleted();
    }
  }
}

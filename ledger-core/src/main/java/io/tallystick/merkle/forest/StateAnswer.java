package io.tallystick.merkle.forest;

import io.tallystick.model.Bytes;

/// The entry of one key in a state forest. Made only by verifying a {@link StateLookup}.
public sealed interface StateAnswer {
  Bytes key();

  /// The key has a value.
  record Present(StateEntry entry) implements StateAnswer {
    @Override
    public Bytes key() {
      return entry.key();
    }
  }

  /// The key was deleted by the entry's journal.
  record Deleted(StateEntry entry) implements StateAnswer {
    @Override
    public Bytes key() {
      return entry.key();
    }
  }

  /// No partition holds the key.
  ///
  /// @param neverWritten whether no journal ever wrote it; otherwise it may have been deleted, and
  ///   its tombstone dropped with an old partition
  record Absent(Bytes key, boolean neverWritten) implements StateAnswer {}
}

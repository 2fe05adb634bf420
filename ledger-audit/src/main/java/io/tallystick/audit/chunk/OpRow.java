package io.tallystick.audit.chunk;

import io.tallystick.audit.replay.StateOp;
import java.util.ArrayList;
import java.util.List;

/// Which of consecutive journals have which operations on the state. Filled by one thread, then
/// read by another.
public final class OpRow {
  private final List<Journal> journals = new ArrayList<>();

  /// @param leaf index of the journal in its chunk
  public record Journal(int leaf, List<StateOp> ops) {
    public Journal {
      ops = List.copyOf(ops);
    }
  }

  /// @param leaf above those before
  void add(int leaf, List<StateOp> ops) {
    if (!ops.isEmpty()) {
      journals.add(new Journal(leaf, ops));
    }
  }

  /// Those with operations, in order.
  public List<Journal> journals() {
    return journals;
  }
}

package io.tallystick.gpu.ptx;

import io.tallystick.gpu.ptx.Operand.Register;
import java.util.List;
import java.util.Optional;

/// `match.sync`: the lanes that hold the same value; with `.all`, the mask or 0.
final class Match implements Action.WarpWide {
  private final boolean all;
  private final Register target;
  private final Optional<Register> allEqual;
  private final Source value;
  private final Source mask;

  Match(boolean all, Register target, Optional<Register> allEqual, Source value, Source mask) {
    this.all = all;
    this.target = target;
    this.allEqual = allEqual;
    this.value = value;
    this.mask = mask;
  }

  @Override
  public int mask(ThreadState thread) {
    return (int) mask.read(thread);
  }

  @Override
  public void complete(List<ThreadState> lanes, int mask) {
    List<Long> values = lanes.stream().map(value::read).toList();
    for (int i = 0; i < lanes.size(); i++) {
      int equal = 0;
      for (int j = 0; j < lanes.size(); j++) {
        if (values.get(i).equals(values.get(j))) {
          equal |= 1 << lanes.get(j).lane();
        }
      }
      boolean same = equal == mask;
      target.write(lanes.get(i), all && !same ? 0 : equal);
      if (allEqual.isPresent()) {
        allEqual.get().write(lanes.get(i), same ? 1 : 0);
      }
    }
  }
}

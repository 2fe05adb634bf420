package io.tallystick.gpu.ptx;

import io.tallystick.gpu.ptx.Operand.Register;
import java.util.List;
import java.util.Locale;

/// `vote.sync`: one answer for all lanes from a predicate of each.
final class Vote implements Action.WarpWide {
  enum Mode {
    ALL,
    ANY,
    UNI,
    BALLOT;

    static Mode named(String name) {
      return valueOf(name.toUpperCase(Locale.ROOT));
    }
  }

  private final Mode mode;
  private final Register target;
  private final Source predicate;
  private final Source mask;

  Vote(Mode mode, Register target, Source predicate, Source mask) {
    this.mode = mode;
    this.target = target;
    this.predicate = predicate;
    this.mask = mask;
  }

  @Override
  public int mask(ThreadState thread) {
    return (int) mask.read(thread);
  }

  @Override
  public void complete(List<ThreadState> lanes, int mask) {
    int ballot = 0;
    for (ThreadState thread : lanes) {
      ballot |= (int) predicate.read(thread) << thread.lane();
    }
    long answer =
        switch (mode) {
          case ALL -> ballot == mask ? 1 : 0;
          case ANY -> ballot != 0 ? 1 : 0;
          case UNI -> ballot == mask || ballot == 0 ? 1 : 0;
          case BALLOT -> ballot;
        };
    lanes.forEach(thread -> target.write(thread, answer));
  }
}

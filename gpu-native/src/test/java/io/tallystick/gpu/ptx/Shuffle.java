package io.tallystick.gpu.ptx;

import io.tallystick.gpu.ptx.Operand.Register;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// `shfl.sync`: each lane reads a register of another lane (PTX ISA section 9.7.9.6).
final class Shuffle implements Action.WarpWide {
  enum Mode {
    UP,
    DOWN,
    BFLY,
    IDX;

    static Mode named(String name) {
      return valueOf(name.toUpperCase(Locale.ROOT));
    }
  }

  private final Mode mode;
  private final Register target;
  private final Optional<Register> inRange;
  private final Source value;
  private final Source lane;
  private final Source clamp;
  private final Source mask;

  /// @param inRange set to whether the lane that is read lies in the lane's segment
  /// @param lane number of a lane, or distance to it
  /// @param clamp bits 0 to 4 bound the lane, bits 8 to 12 cut the warp into segments
  Shuffle(
      Mode mode,
      Register target,
      Optional<Register> inRange,
      Source value,
      Source lane,
      Source clamp,
      Source mask) {
    this.mode = mode;
    this.target = target;
    this.inRange = inRange;
    this.value = value;
    this.lane = lane;
    this.clamp = clamp;
    this.mask = mask;
  }

  @Override
  public int mask(ThreadState thread) {
    return (int) mask.read(thread);
  }

  @Override
  public void complete(List<ThreadState> lanes, int mask) {
    long[] results = new long[lanes.size()];
    boolean[] valid = new boolean[lanes.size()];
    for (int i = 0; i < results.length; i++) {
      ThreadState thread = lanes.get(i);
      int read = laneRead(thread);
      valid[i] = read >= 0;
      int from = valid[i] ? read : thread.lane();
      if ((mask >>> from & 1) == 0) {
        throw thread.fault(
            Fault.WRONG_MASK,
            String.format(Locale.ROOT, "lane %d is read, mask 0x%08x", from, mask));
      }
      results[i] = value.read(thread.warp().lane(from));
    }
    for (int i = 0; i < results.length; i++) {
      target.write(lanes.get(i), results[i]);
      if (inRange.isPresent()) {
        inRange.get().write(lanes.get(i), valid[i] ? 1 : 0);
      }
    }
  }

  /// -1 when the lane lies outside the segment.
  private int laneRead(ThreadState thread) {
    int own = thread.lane();
    int operand = (int) lane.read(thread) & 31;
    int bounds = (int) clamp.read(thread);
    int segment = bounds >>> 8 & 31;
    int max = (own & segment) | (bounds & 31 & ~segment);
    int read =
        switch (mode) {
          case UP -> own - operand;
          case DOWN -> own + operand;
          case BFLY -> own ^ operand;
          case IDX -> (own & segment) | (operand & ~segment);
        };
    boolean inside = mode == Mode.UP ? read >= max : read <= max;
    return inside ? read : -1;
  }
}

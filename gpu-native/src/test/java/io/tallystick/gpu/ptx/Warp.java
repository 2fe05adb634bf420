package io.tallystick.gpu.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Up to 32 neighbouring threads of a block, which can exchange values. They do not run in
/// lockstep.
final class Warp {
  static final int LANES = 32;

  private final List<ThreadState> lanes;
  private boolean mayShare; // stores that other warps need not see

  /// @param lanes lane 0 first; the last warp of a block may have fewer than 32
  Warp(List<ThreadState> lanes) {
    this.lanes = List.copyOf(lanes);
  }

  ThreadState lane(int lane) {
    return lanes.get(lane);
  }

  /// What these lanes have stored is seen by all lanes.
  void share(List<ThreadState> stored) {
    stored.forEach(lane -> lane.stores().shareWithWarp());
    mayShare = true;
  }

  /// A lane is about to read or to write what all lanes see.
  void showShared(long address, int bytes) {
    if (!mayShare) {
      return;
    }
    mayShare = false;
    for (ThreadState lane : lanes) {
      lane.stores().showSharedThrough(address, bytes);
      mayShare |= lane.stores().isShared();
    }
  }

  /// The thread stands at a warp-wide instruction; when it is the last one that the mask names, the
  /// instruction is done for all of them.
  void arrive(ThreadState thread, Action.WarpWide action) {
    int mask = action.mask(thread);
    if ((mask >>> thread.lane() & 1) == 0) {
      throw thread.fault(
          Fault.WRONG_MASK,
          String.format(Locale.ROOT, "mask 0x%08x leaves out its own lane", mask));
    }
    thread.await(action);
    List<ThreadState> together = new ArrayList<>();
    for (int lane = 0; lane < LANES; lane++) {
      if ((mask >>> lane & 1) == 0) {
        continue;
      }
      if (lane >= lanes.size() || lanes.get(lane).hasExited()) {
        throw thread.fault(
            Fault.WRONG_MASK,
            String.format(
                Locale.ROOT, "mask 0x%08x names lane %d, which is not there", mask, lane));
      }
      ThreadState other = lanes.get(lane);
      if (other.awaits(action)) {
        checkSameMask(thread, mask, action.mask(other));
        together.add(other);
      }
    }
    if (together.size() == Integer.bitCount(mask)) {
      action.complete(together, mask);
      together.forEach(ThreadState::resume);
    }
  }

  private static void checkSameMask(ThreadState thread, int mask, int other) {
    if (mask != other) {
      throw thread.fault(
          Fault.WRONG_MASK,
          String.format(Locale.ROOT, "mask 0x%08x here, 0x%08x in another lane", mask, other));
    }
  }

  /// A thread that others wait for must not exit.
  void exited(ThreadState thread) {
    for (ThreadState other : lanes) {
      if (other.awaited() instanceof Action.WarpWide action
          && (action.mask(other) >>> thread.lane() & 1) != 0) {
        throw other.fault(
            Fault.WRONG_MASK,
            String.format(
                Locale.ROOT,
                "mask 0x%08x names lane %d, which exits",
                action.mask(other),
                thread.lane()));
      }
    }
  }

  /// Gives the mask of the lanes that stand at the instruction which `thread` executes, to all of
  /// them; they go on behind it.
  void activate(ThreadState thread, Operand.Register target) {
    List<ThreadState> active = new ArrayList<>(List.of(thread));
    for (ThreadState other : lanes) {
      if (other.isAboutToJoin(thread) && other.nextStatement().isOn(other)) {
        other.frame().goTo(other.frame().next() + 1);
        active.add(other);
      }
    }
    int mask = active.stream().mapToInt(other -> 1 << other.lane()).reduce(0, (a, b) -> a | b);
    active.forEach(other -> target.write(other, mask));
  }
}

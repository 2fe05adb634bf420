package io.tallystick.gpu.ptx;

import java.util.List;

/// `bar.warp.sync`: no lane of the mask goes on before all of them are here. They see what each of
/// them has stored. The threads of other warps need not: that takes a fence.
final class WarpBarrier implements Action.WarpWide {
  private final Source mask;

  WarpBarrier(Source mask) {
    this.mask = mask;
  }

  @Override
  public int mask(ThreadState thread) {
    return (int) mask.read(thread);
  }

  @Override
  public void complete(List<ThreadState> lanes, int mask) {
    lanes.getFirst().warp().share(lanes);
  }
}

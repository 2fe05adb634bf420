package io.tallystick.proxy.edge;

import java.util.concurrent.atomic.AtomicInteger;

/// Runs one action, never twice at the same time, and at least once after every {@link #wake}. The
/// thread that wakes it while it is idle runs the action, and runs it again if other threads wake
/// it meanwhile: no change of thread, and what arrives together is handled together.
final class DrainLoop {
  private final Runnable action;
  private final AtomicInteger wakes = new AtomicInteger();

  /// @param action short and never waiting: it runs on the threads that wake
  DrainLoop(Runnable action) {
    this.action = action;
  }

  void wake() {
    int seen = wakes.getAndIncrement() == 0 ? 1 : 0;
    while (seen != 0) {
      seen = run(seen);
    }
  }

  /// @return how many wakes came in the meantime
  private int run(int seen) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      // The next wake must find the loop idle.
      wakes.set(0);
      throw e;
    }
    return wakes.addAndGet(-seen);
  }
}

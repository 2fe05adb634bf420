package io.tallystick.proxy.edge;

import java.util.concurrent.atomic.AtomicInteger;

/// Runs one action, never twice at the same time, and once more after every {@link #wake}. Whoever
/// wakes it while it rests runs it, and does what is woken meanwhile; so it costs no change of
/// thread, and what comes together is done together.
final class Combining {
  private final Runnable action;
  private final AtomicInteger wakes = new AtomicInteger();

  /// @param action short and never waiting: it runs on the threads that wake
  Combining(Runnable action) {
    this.action = action;
  }

  void wake() {
    int seen = wakes.getAndIncrement() == 0 ? 1 : 0;
    while (seen != 0) {
      seen = turn(seen);
    }
  }

  /// @return how many wakes came in the meantime
  private int turn(int seen) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      // The next wake must find it at rest.
      wakes.set(0);
      throw e;
    }
    return wakes.addAndGet(-seen);
  }
}

package io.tallystick.proxy.edge;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/// Runs one action on an executor, never twice at the same time, and once more after every {@link
/// #wake}: the only place that touches a call's outbound side.
final class Turns {
  private final Executor executor;
  private final Runnable action;
  private final AtomicInteger wakes = new AtomicInteger();

  Turns(Executor executor, Runnable action) {
    this.executor = executor;
    this.action = action;
  }

  void wake() {
    if (wakes.getAndIncrement() == 0) {
      executor.execute(this::turn);
    }
  }

  private void turn() {
    int seen = wakes.get();
    try {
      action.run();
    } finally {
      if (wakes.addAndGet(-seen) != 0) {
        executor.execute(this::turn);
      }
    }
  }
}

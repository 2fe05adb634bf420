package io.tallystick.proxy.edge;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/// Runs one action on an executor, never twice at the same time, and at least once after every
/// {@link #wake}.
final class SerialTask {
  private final Executor executor;
  private final Runnable action;
  private final AtomicInteger wakes = new AtomicInteger();

  SerialTask(Executor executor, Runnable action) {
    this.executor = executor;
    this.action = action;
  }

  void wake() {
    if (wakes.getAndIncrement() == 0) {
      executor.execute(this::run);
    }
  }

  private void run() {
    int seen = wakes.get();
    try {
      action.run();
    } finally {
      if (wakes.addAndGet(-seen) != 0) {
        executor.execute(this::run);
      }
    }
  }
}

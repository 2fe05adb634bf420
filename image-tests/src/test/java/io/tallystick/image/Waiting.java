package io.tallystick.image;

import java.time.Duration;

/// Waits for what a container does.
final class Waiting {
  private static final long PAUSE_MS = 50;

  private Waiting() {}

  /// What may become true.
  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }

  /// @throws AssertionError if it is not so within `max`
  static void until(String what, Duration max, Condition condition) throws Exception {
    long deadline = System.nanoTime() + max.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited " + max + " in vain until " + what);
      }
      Thread.sleep(PAUSE_MS);
    }
  }
}

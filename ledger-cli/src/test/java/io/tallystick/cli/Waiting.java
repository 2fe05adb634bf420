package io.tallystick.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// Waits for what another process does. The bound is only there to end a test that has failed.
final class Waiting {
  private static final Duration MAX = Duration.ofMinutes(3);
  private static final long PAUSE_MS = 10;

  private Waiting() {}

  /// What may become true.
  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }

  static void until(String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + MAX.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited " + MAX + " in vain until " + what);
      }
      Thread.sleep(PAUSE_MS);
    }
  }

  /// Until a service has said that it listens: its port is known a moment before.
  ///
  /// @param log what the service prints
  static void untilListening(Path log) throws Exception {
    until(
        "the service says that it listens", () -> Files.readString(log).contains("Listening on "));
  }
}

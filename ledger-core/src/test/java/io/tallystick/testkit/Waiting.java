package io.tallystick.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// Waits for what another thread or process does. The bound is only there to end a test that has
/// failed: no machine that does what it should, however busy, comes near it.
public final class Waiting {
  public static final Duration MAX = Duration.ofMinutes(3);

  private static final long PAUSE_MS = 10;

  private Waiting() {}

  /// What may become true.
  ///
  /// @param <X> what looking may throw
  @FunctionalInterface
  public interface Condition<X extends Exception> {
    boolean holds() throws X;
  }

  /// @throws AssertionError if it is not so within {@link #MAX}
  public static <X extends Exception> void until(String what, Condition<X> condition)
      throws X, InterruptedException {
    long deadline = deadline();
    while (!condition.holds()) {
      if (isOver(deadline)) {
        throw new AssertionError("waited " + MAX + " in vain until " + what);
      }
      Thread.sleep(PAUSE_MS);
    }
  }

  /// When what begins now and tries again and again gives up, by {@link #isOver}.
  public static long deadline() {
    return System.nanoTime() + MAX.toNanos();
  }

  public static boolean isOver(long deadline) {
    return System.nanoTime() - deadline > 0;
  }

  /// Until a service has said that it listens: its port is known a moment before.
  ///
  /// @param log what the service prints
  public static void untilListening(Path log) throws Exception {
    until(
        "the service says that it listens", () -> Files.readString(log).contains("Listening on "));
  }
}

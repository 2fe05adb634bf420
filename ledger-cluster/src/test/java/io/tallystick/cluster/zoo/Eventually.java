package io.tallystick.cluster.zoo;

import java.io.IOException;
import java.time.Duration;

/// Asks until there is an answer.
public final class Eventually {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final long PAUSE_MILLIS = 50;

  /// What may fail for a while.
  @FunctionalInterface
  public interface Question<T> {
    T ask() throws IOException;
  }

  private Eventually() {}

  /// @throws IOException the last failure, if there is no answer within 30 s
  public static <T> T get(Question<T> question) throws IOException, InterruptedException {
    long end = System.nanoTime() + DEADLINE.toNanos();
    while (true) {
      try {
        return question.ask();
      } catch (IOException e) {
        if (System.nanoTime() - end > 0) {
          throw e;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }
}

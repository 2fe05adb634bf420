package io.tallystick.cluster.process;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.concurrent.TimeUnit;

/// Asks owners of shards until they can be asked: a command has connections to none when it begins.
final class PatientQuestion {
  private static final long MILLIS_MAX = 30_000;
  private static final long LOOK_MILLIS = 200;

  private PatientQuestion() {}

  /// Asks once.
  @FunctionalInterface
  interface Question<T> {
    T ask() throws RequestRejectedException;
  }

  /// @throws RequestRejectedException `UNAVAILABLE` if that is still the answer after 30 s; any
  ///   other at once
  static <T> T ask(Question<T> question) throws RequestRejectedException, InterruptedException {
    long began = System.nanoTime();
    while (true) {
      try {
        return question.ask();
      } catch (RequestRejectedException e) {
        if (e.code() != RejectionCode.UNAVAILABLE
            || System.nanoTime() - began > TimeUnit.MILLISECONDS.toNanos(MILLIS_MAX)) {
          throw e;
        }
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }
}

package io.tallystick.client.wire;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// How unary calls are repeated. Each attempt has the call's timeout; a repeat begins within the
/// retry policy's time, and that of a read ends with it.
///
/// @param changing whether a call that was not answered may have changed something
record Repeats(Reconnects reconnects, Duration callTimeout, RetryPolicy retry, boolean changing) {
  Repeats ofChanges() {
    return new Repeats(reconnects, callTimeout, retry, true);
  }

  Repeats within(Duration timeout) {
    return new Repeats(reconnects, timeout, retry, changing);
  }

  /// @param attempt of the call, within so many milliseconds
  <R> R run(String name, LongFunction<R> attempt) throws TallyException {
    long start = System.nanoTime();
    boolean sent = false;
    StatusRuntimeException before = null;
    for (int attempts = 1; ; attempts++) {
      long leftMs = retry.timeMax().toMillis() - (System.nanoTime() - start) / 1_000_000;
      boolean cut = !changing && attempts > 1 && leftMs < callTimeout.toMillis();
      try {
        return attempt.apply(cut ? Math.max(1, leftMs) : callTimeout.toMillis());
      } catch (StatusRuntimeException e) {
        sent |= changing && !Problems.neverSent(e);
        Duration pause = retry.pause(attempts, Problems.retryAfter(e), ThreadLocalRandom.current());
        if (Problems.retryable(e)) {
          reconnects.connect(); // also for the next call
        }
        if (!Problems.retryable(e) || reconnects.closed() || isLate(start, pause)) {
          throw Problems.toException(name, cut ? telling(before, e) : e, sent);
        }
        before = e;
        sleep(name, pause, sent);
      }
    }
  }

  /// The last attempt may have had no time to fail for the reason that the others failed for.
  private static StatusRuntimeException telling(
      @Nullable StatusRuntimeException before, StatusRuntimeException last) {
    if (before == null || last.getStatus().getCode() != Status.Code.DEADLINE_EXCEEDED) {
      return last;
    }
    before.addSuppressed(last);
    return before;
  }

  private boolean isLate(long startNanos, Duration pause) {
    long elapsed = System.nanoTime() - startNanos;
    return elapsed + pause.toNanos() > retry.timeMax().toNanos();
  }

  private static void sleep(String name, Duration pause, boolean sent)
      throws ServiceUnavailableException {
    try {
      Thread.sleep(pause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailableException(name + " was interrupted", sent, e);
    }
  }
}

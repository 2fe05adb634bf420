package io.tallystick.master.anchor;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Whether an authority or a witness is asked at all: a circuit breaker. After three failures in a
/// row it rests for half a minute; then one question is let through, and its outcome decides.
/// Thread-safe.
public final class AuthorityRest {
  static final int FAILURES_MAX = 3;
  static final Duration REST = Duration.ofSeconds(30);

  private final LongSupplier nanoTime;
  private int failures;
  private long askAgainAt;

  /// @param nanoTime as {@link System#nanoTime}
  public AuthorityRest(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// Whether to ask now. Of several who ask at the end of a rest, one may.
  public synchronized boolean mayAsk() {
    if (failures < FAILURES_MAX) {
      return true;
    }
    long now = nanoTime.getAsLong();
    if (now - askAgainAt < 0) {
      return false;
    }
    askAgainAt = now + REST.toNanos();
    return true;
  }

  /// It answered.
  public synchronized void succeeded() {
    failures = 0;
  }

  /// It gave no usable answer.
  public synchronized void failed() {
    if (failures < FAILURES_MAX) {
      failures++;
    }
    askAgainAt = nanoTime.getAsLong() + REST.toNanos();
  }
}

package io.tallystick.wire;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Whether to ask somebody who did not answer: not before a pause has passed, 1 s at first and
/// doubled by each failure up to 30 s, and then with one call alone, until it answers. Thread-safe.
final class LeftAlone {
  private static final Duration PAUSE_MIN = Duration.ofSeconds(1);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(30);

  private final LongSupplier nanoTime;

  /// Zero while it answers.
  private Duration pause = Duration.ZERO;

  private long againNanos;
  private boolean trying;

  /// @param nanoTime as {@link System#nanoTime}
  LeftAlone(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// If so, {@link #answered} or {@link #failed} is to be called behind it.
  synchronized boolean mayAsk() {
    if (pause.isZero()) {
      return true;
    }
    if (trying || nanoTime.getAsLong() - againNanos < 0) {
      return false;
    }
    trying = true;
    return true;
  }

  synchronized void answered() {
    pause = Duration.ZERO;
    trying = false;
  }

  /// Failures of calls that were under way together count once.
  synchronized void failed() {
    if (!pause.isZero() && !trying) {
      return;
    }
    Duration longer = pause.isZero() ? PAUSE_MIN : pause.multipliedBy(2);
    pause = longer.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : longer;
    againNanos = nanoTime.getAsLong() + pause.toNanos();
    trying = false;
  }
}

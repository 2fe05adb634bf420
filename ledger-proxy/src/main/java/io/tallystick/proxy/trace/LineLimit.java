package io.tallystick.proxy.trace;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// Bounds the lines of the log that callers can make the service write: so many a minute, and the
/// next one says how many were left out. Metrics count all of them. Thread-safe.
public final class LineLimit {
  private static final int LINES_A_MINUTE = 10;
  private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final LongSupplier nanoTime;
  private boolean begun;
  private long sinceNanos;
  private int written;
  private long leftOut;

  public LineLimit() {
    this(System::nanoTime);
  }

  LineLimit(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// Writes a line, or leaves it out.
  ///
  /// @param write is given what to put at the line's end: empty, or how many were left out before
  public void line(Consumer<String> write) {
    String end;
    synchronized (this) {
      long now = nanoTime.getAsLong();
      if (!begun || now - sinceNanos >= MINUTE_NANOS) {
        begun = true;
        sinceNanos = now;
        written = 0;
      }
      if (written == LINES_A_MINUTE) {
        leftOut++;
        return;
      }
      written++;
      end = leftOut == 0 ? "" : "; " + leftOut + " lines like this were left out before";
      leftOut = 0;
    }
    write.accept(end);
  }
}

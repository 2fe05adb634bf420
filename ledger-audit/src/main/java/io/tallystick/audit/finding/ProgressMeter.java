package io.tallystick.audit.finding;

/// Tells the progress of an audit four times a second. Not thread-safe.
public final class ProgressMeter {
  private static final long INTERVAL_NANOS = 250_000_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final AuditProgress listener;
  private final long total;
  private final long startNanos = System.nanoTime();
  private long lastNanos = startNanos;

  public ProgressMeter(AuditProgress listener, long total) {
    this.listener = listener;
    this.total = total;
  }

  public void update(long done) {
    long now = System.nanoTime();
    if (now - lastNanos >= INTERVAL_NANOS || done == total) {
      lastNanos = now;
      double seconds = Math.max(1, now - startNanos) / NANOS_PER_SECOND;
      listener.onProgress(done, total, done / seconds);
    }
  }
}

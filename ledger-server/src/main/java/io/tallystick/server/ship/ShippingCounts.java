package io.tallystick.server.ship;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/// What a shipper has sent. Thread-safe.
public final class ShippingCounts {
  private static final long NONE = -1;

  private final AtomicLong savepoints = new AtomicLong();
  private final AtomicLong pieces = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong reused = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile long newestMs = NONE;

  void put(int count) {
    pieces.incrementAndGet();
    bytes.addAndGet(count);
  }

  void reuse() {
    reused.incrementAndGet();
  }

  void published(long ms) {
    savepoints.incrementAndGet();
    newestMs = ms;
  }

  /// The pointer names a savepoint.
  ///
  /// @param ms when it was published
  void found(long ms) {
    newestMs = ms;
  }

  void fail() {
    failures.incrementAndGet();
  }

  /// That were published.
  public long savepoints() {
    return savepoints.get();
  }

  /// That were put into the store; those that it had are not among them.
  public long pieces() {
    return pieces.get();
  }

  /// Pieces of published savepoints that the store had.
  public long reused() {
    return reused.get();
  }

  /// Turns that failed; the next one began again.
  public long failures() {
    return failures.get();
  }

  /// When the newest savepoint was published, in milliseconds; empty if there is none.
  public OptionalLong newestMs() {
    long ms = newestMs;
    return ms == NONE ? OptionalLong.empty() : OptionalLong.of(ms);
  }

  /// Of the pieces.
  public long bytes() {
    return bytes.get();
  }
}

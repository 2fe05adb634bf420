package io.tallystick.server.ship;

import java.util.concurrent.atomic.AtomicLong;

/// What a shipper has sent. Thread-safe.
public final class ShippingCounts {
  private final AtomicLong savepoints = new AtomicLong();
  private final AtomicLong pieces = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  void put(int count) {
    pieces.incrementAndGet();
    bytes.addAndGet(count);
  }

  void published() {
    savepoints.incrementAndGet();
  }

  /// That were published.
  public long savepoints() {
    return savepoints.get();
  }

  /// That were put into the store; those that it had are not among them.
  public long pieces() {
    return pieces.get();
  }

  /// Of the pieces.
  public long bytes() {
    return bytes.get();
  }
}

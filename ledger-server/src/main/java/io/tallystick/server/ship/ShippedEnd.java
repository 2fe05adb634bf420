package io.tallystick.server.ship;

import java.util.concurrent.atomic.AtomicLong;

/// How far savepoints that were shipped hold the stream: before it, none of them replays a frame.
/// Nothing is erased behind it. It stays where a shard's shipper is replaced. Thread-safe.
public final class ShippedEnd {
  private final AtomicLong frame = new AtomicLong();
  private final Runnable moved;

  /// @param moved run when it has come further: what waits to be erased may go
  public ShippedEnd(Runnable moved) {
    this.moved = moved;
  }

  /// Location of the first frame that may be needed, unsigned; 0 before anything is known.
  public long frame() {
    return frame.get();
  }

  void set(long to) {
    if (Long.compareUnsigned(frame.getAndSet(to), to) < 0) {
      moved.run();
    }
  }
}

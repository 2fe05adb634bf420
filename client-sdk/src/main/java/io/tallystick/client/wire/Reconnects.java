package io.tallystick.client.wire;

import io.grpc.ManagedChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Connects a client to its service again when calls fail. Thread-safe.
final class Reconnects {
  private static final long BETWEEN_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(100);

  private final ManagedChannel channel;
  private final AtomicLong lastNanos = new AtomicLong(System.nanoTime() - BETWEEN_NANOS_MIN);

  Reconnects(ManagedChannel channel) {
    this.channel = channel;
  }

  /// Whether the client was closed, after which no call succeeds.
  boolean closed() {
    return channel.isShutdown();
  }

  /// Connects now to what is not connected. gRPC's own pauses grow to two minutes, longer than a
  /// request is repeated; those of the retry policy take their place.
  void connect() {
    long now = System.nanoTime();
    long last = lastNanos.get();
    if (now - last >= BETWEEN_NANOS_MIN && lastNanos.compareAndSet(last, now)) {
      channel.resetConnectBackoff();
    }
  }
}

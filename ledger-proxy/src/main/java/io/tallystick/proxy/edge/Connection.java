package io.tallystick.proxy.edge;

import io.netty.channel.Channel;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.concurrent.atomic.AtomicLong;

/// One connection of a client, and what it has sent that no call has asked for yet. Thread-safe,
/// {@link #measure} but by its event loop only.
final class Connection {
  private final Channel channel;
  private final AtomicLong consumedBytes = new AtomicLong();
  private volatile long unaskedBytes;
  private volatile long lastConsumedBytes;
  private long consumedBefore;

  Connection(Channel channel) {
    this.channel = channel;
  }

  Channel channel() {
    return channel;
  }

  /// A call has asked for so many bytes, which were there.
  void consumed(long bytes) {
    consumedBytes.addAndGet(bytes);
  }

  void measure() {
    long consumed = consumedBytes.get();
    lastConsumedBytes = consumed - consumedBefore;
    consumedBefore = consumed;
    var handler = channel.pipeline().get(Http2ConnectionHandler.class);
    if (handler != null) {
      unaskedBytes = unaskedBytes(handler.connection());
    }
  }

  /// Of all streams: gRPC refills the window of the connection by itself, so that it tells nothing.
  private static long unaskedBytes(Http2Connection http2) {
    long[] bytes = new long[1];
    try {
      http2.forEachActiveStream(stream -> {
        bytes[0] += http2.local().flowController().unconsumedBytes(stream);
        return true;
      });
    } catch (Http2Exception e) {
      throw new AssertionError("the visitor throws none", e);
    }
    return bytes[0];
  }

  /// When it was last measured.
  long unaskedBytes() {
    return unaskedBytes;
  }

  /// Between the last time it was measured and the one before.
  long lastConsumedBytes() {
    return lastConsumedBytes;
  }

  /// Closes it at once, whatever is under way on it.
  void close() {
    // Not by way of the handlers, which would wait for the calls under way.
    channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
  }
}

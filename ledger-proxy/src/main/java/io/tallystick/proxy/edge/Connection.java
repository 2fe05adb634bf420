package io.tallystick.proxy.edge;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection of a client, and what lies on it: what no call has asked for, and what has been
/// written and has not left. Thread-safe, {@link #follow} and {@link #measure} but by the
/// connection's event loop only.
final class Connection {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  private final SocketAddress client;
  private final Channel channel;
  private final Runnable refuse;
  private volatile Kept kept;
  private final Leaving leaving = new Leaving();
  private @Nullable InboundStreams streams;

  /// @param refuse closes this connection
  Connection(SocketAddress client, Channel channel, Runnable refuse) {
    this.client = client;
    this.refuse = refuse;
    this.channel = channel;
    this.kept = new Kept(this, 0, 0, 0);
  }

  /// What it kept when it was last measured.
  ///
  /// @param unaskedBytes what no call had asked for, with what each piece of it costs
  /// @param leavingBytes what was written and had not left, headers of refused calls too
  /// @param slowBytes of the former what is of streams that will not have been asked for it within
  ///   ten seconds, if they go on as in the last five; the latter if nothing has left for a second
  record Kept(Connection connection, long unaskedBytes, long leavingBytes, long slowBytes) {
    long bytes() {
      return unaskedBytes + leavingBytes;
    }
  }

  /// What has been written and waits for the client to take it.
  private static final class Leaving {
    private @Nullable Object first;
    private long progress;
    private int looks;

    /// @return whether nothing has left for ten looks
    @SuppressWarnings("ReferenceEquality") // the same write, not one with the same content
    boolean look(ChannelOutboundBuffer pending) {
      Object now = pending.current();
      if (now != null && now == first && pending.currentProgress() == progress) {
        looks = Math.min(looks + 1, InboundStreams.LOOKS_MIN);
      } else {
        first = now;
        progress = pending.currentProgress();
        looks = 0;
      }
      return looks == InboundStreams.LOOKS_MIN;
    }
  }

  SocketAddress client() {
    return client;
  }

  EventLoop eventLoop() {
    return channel.eventLoop();
  }

  Kept kept() {
    return kept;
  }

  ByteBufAllocator allocator() {
    return channel.alloc();
  }

  /// Sees all that comes from now on. Once, before the first call.
  void follow() {
    var handler = channel.pipeline().get(Http2ConnectionHandler.class);
    if (handler != null) {
      streams = new InboundStreams(handler, refuse);
    }
  }

  /// Ten times a second.
  void measure() {
    InboundStreams.Lying lying = InboundStreams.Lying.NOTHING;
    if (streams != null) {
      try {
        lying = streams.look();
      } catch (Http2Exception e) {
        LOG.error("The streams of {} cannot be looked at", client, e);
      }
    }
    ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
    long leavingBytes = pending == null ? 0 : pending.totalPendingWriteBytes();
    boolean stuck = pending != null && leaving.look(pending);
    kept =
        new Kept(
            this,
            lying.unaskedBytes(),
            leavingBytes,
            lying.slowBytes() + (stuck ? leavingBytes : 0));
  }

  /// Closes it at once, whatever is under way on it.
  void close() {
    // Not by way of the handlers, which would wait for the calls under way.
    channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
  }
}

package io.tallystick.proxy.edge;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Stream;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection of a client, and what lies on it that no call has asked for yet: each stream has
/// a window of its own, and gRPC refills the connection's by itself, so that this one tells
/// nothing. Thread-safe, {@link #measure} but by the connection's event loop only.
final class Connection {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  private final SocketAddress client;
  private final Channel channel;
  private volatile Kept kept;
  private long stuckBytes;
  private Http2Connection.@Nullable PropertyKey paces;

  Connection(SocketAddress client, Channel channel) {
    this.client = client;
    this.channel = channel;
    this.kept = new Kept(this, 0, 0, 0);
  }

  /// What it kept when it was last measured.
  ///
  /// @param unaskedBytes what no call had asked for
  /// @param leavingBytes what was written and had not left, headers of refused calls too
  /// @param slowBytes of the former what is of streams that will not have been asked for it within
  ///   ten seconds, if they go on as in the last five; of the latter what has been there for about
  ///   a second
  record Kept(Connection connection, long unaskedBytes, long leavingBytes, long slowBytes) {
    long bytes() {
      return unaskedBytes + leavingBytes;
    }
  }

  /// How fast a stream is asked.
  static final class Pace {
    /// What is left of an amount after one look, so that all but a third is forgotten after five
    /// seconds of ten looks.
    private static final double KEPT = 0.98;

    /// After so many looks something is known.
    private static final int LOOKS_MIN = 10;

    private long before;
    private double recent;
    private int looks;

    /// @param bytes on the stream now; what came and was taken since the last look is not seen, but
    ///   a client gets no more room before half of its window was taken
    void look(long bytes) {
      recent = KEPT * recent + Math.max(0, before - bytes);
      before = bytes;
      looks = Math.min(looks + 1, LOOKS_MIN);
    }

    boolean isSlow() {
      return looks == LOOKS_MIN && before > 2 * recent;
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

  /// Ten times a second.
  void measure() {
    var handler = channel.pipeline().get(Http2ConnectionHandler.class);
    long[] bytes = new long[2];
    long leaving = leavingBytes();
    stuckBytes = Math.min(leaving, stuckBytes + leaving / Pace.LOOKS_MIN);
    if (handler != null) {
      Http2Connection http2 = handler.connection();
      try {
        http2.forEachActiveStream(stream -> {
          long here = http2.local().flowController().unconsumedBytes(stream);
          Pace pace = pace(http2, stream);
          pace.look(here);
          bytes[0] += here;
          bytes[1] += pace.isSlow() ? here : 0;
          return true;
        });
      } catch (Http2Exception e) {
        LOG.error("The streams of {} cannot be looked at", client, e);
      }
    }
    kept = new Kept(this, bytes[0], leaving, bytes[1] + stuckBytes);
  }

  private long leavingBytes() {
    ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
    return pending == null ? 0 : pending.totalPendingWriteBytes();
  }

  private Pace pace(Http2Connection http2, Http2Stream stream) {
    if (paces == null) {
      paces = http2.newKey();
    }
    Pace pace = stream.getProperty(paces);
    if (pace == null) {
      pace = new Pace();
      stream.setProperty(paces, pace);
    }
    return pace;
  }

  /// Closes it at once, whatever is under way on it.
  void close() {
    // Not by way of the handlers, which would wait for the calls under way.
    channel.eventLoop().execute(() -> channel.unsafe().close(channel.voidPromise()));
  }
}

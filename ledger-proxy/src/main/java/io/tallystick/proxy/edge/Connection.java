package io.tallystick.proxy.edge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Stream;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One connection of a client, and what lies on it that no call has asked for yet: each stream has
/// a window of its own, and gRPC refills the connection's by itself, so that this one tells
/// nothing. Thread-safe, {@link #follow} and {@link #measure} but by the connection's event loop
/// only.
final class Connection {
  private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

  private final SocketAddress client;
  private final Channel channel;
  private final Runnable refuse;
  private volatile Kept kept;
  private final Leaving leaving = new Leaving();
  private @Nullable Streams streams;

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

  /// In what pieces the bytes of a stream come, by the last MiB or two of it: each is an object of
  /// its own, until gRPC makes one of a thousand.
  static final class Pieces {
    /// Two small objects and a place in a queue.
    private static final int PIECE_BYTES = 128;

    private static final int PIECES_MAX = 1_000;
    private static final int REMEMBERED_BYTES = 2 << 20;

    private long bytes;
    private long count;

    void arrived(int length) {
      bytes += length;
      count++;
      if (bytes > REMEMBERED_BYTES) {
        bytes /= 2;
        count /= 2;
      }
    }

    /// What so many of the bytes take, with their pieces.
    long heldBytes(long lying) {
      return bytes == 0 ? lying : lying + PIECE_BYTES * Math.min(PIECES_MAX, lying * count / bytes);
    }
  }

  /// Whether what comes on the connection comes in crumbs, which cost more than they are. No client
  /// of gRPC cuts its messages so small.
  static final class Crumbs {
    private static final int BYTES_MIN = 64;
    private static final int COUNT_MAX = 256;

    private long bytes;
    private long count;

    /// @param length of what neither begins a stream nor ends it
    /// @return whether there have been too many
    boolean arrived(int length) {
      bytes += length;
      count++;
      return count > COUNT_MAX + bytes / BYTES_MIN;
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
        looks = Math.min(looks + 1, Pace.LOOKS_MIN);
      } else {
        first = now;
        progress = pending.currentProgress();
        looks = 0;
      }
      return looks == Pace.LOOKS_MIN;
    }
  }

  /// The streams of the connection.
  private static final class Streams {
    private final Http2Connection http2;
    private final Http2Connection.PropertyKey key;
    private final Crumbs crumbs = new Crumbs();

    /// How one is asked, and what comes on it.
    private static final class Seen {
      private final Pace pace = new Pace();
      private final Pieces pieces = new Pieces();
      private boolean begun;
    }

    /// @param unaskedBytes what no call has asked for
    /// @param slowBytes of this what is of slow streams
    private record Lying(long unaskedBytes, long slowBytes) {
      static final Lying NOTHING = new Lying(0, 0);
    }

    /// @param refuse closes the connection
    Streams(Http2ConnectionHandler handler, Runnable refuse) {
      this.http2 = handler.connection();
      this.key = http2.newKey();
      Http2FrameListener listener = handler.decoder().frameListener();
      handler
          .decoder()
          .frameListener(
              new Http2FrameListenerDecorator(listener) {
                @Override
                public int onDataRead(
                    ChannelHandlerContext context, int id, ByteBuf data, int padding, boolean last)
                    throws Http2Exception {
                  int length = data.readableBytes();
                  if (length == 0 && !last) {
                    return padding; // would be kept as an object all the same
                  }
                  Http2Stream stream = http2.stream(id);
                  if (stream != null) {
                    Seen seen = seen(stream);
                    seen.pieces.arrived(length);
                    if (seen.begun && !last && crumbs.arrived(length)) {
                      refuse.run();
                    }
                    seen.begun = true;
                  }
                  return super.onDataRead(context, id, data, padding, last);
                }
              });
    }

    private Seen seen(Http2Stream stream) {
      Seen seen = stream.getProperty(key);
      if (seen == null) {
        seen = new Seen();
        stream.setProperty(key, seen);
      }
      return seen;
    }

    Lying look() throws Http2Exception {
      long[] bytes = new long[2];
      http2.forEachActiveStream(stream -> {
        long lying = http2.local().flowController().unconsumedBytes(stream);
        Seen seen = seen(stream);
        seen.pace.look(lying);
        long here = seen.pieces.heldBytes(lying);
        bytes[0] += here;
        bytes[1] += seen.pace.isSlow() ? here : 0;
        return true;
      });
      return new Lying(bytes[0], bytes[1]);
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
      streams = new Streams(handler, refuse);
    }
  }

  /// Ten times a second.
  void measure() {
    Streams.Lying lying = Streams.Lying.NOTHING;
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

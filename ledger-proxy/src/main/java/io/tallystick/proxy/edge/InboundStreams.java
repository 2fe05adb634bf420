package io.tallystick.proxy.edge;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Stream;

/// What comes on the streams of one connection, and what of it no call has asked for yet: each
/// stream has a window of its own, and gRPC refills the connection's by itself, so that this one
/// tells nothing. By the connection's event loop only.
final class InboundStreams {
  /// After so many looks something is known.
  static final int LOOKS_MIN = 10;

  private final Http2Connection http2;
  private final Http2Connection.PropertyKey key;
  private final Crumbs crumbs = new Crumbs();

  /// How fast a stream is asked.
  static final class Pace {
    /// What is left of an amount after one look, so that all but a third is forgotten after five
    /// seconds of ten looks.
    private static final double KEPT = 0.98;

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

  /// How one is asked, and what comes on it.
  private static final class Seen {
    private final Pace pace = new Pace();
    private final Pieces pieces = new Pieces();
    private boolean begun;
  }

  /// @param unaskedBytes what no call has asked for
  /// @param slowBytes of this what is of slow streams
  record Lying(long unaskedBytes, long slowBytes) {
    static final Lying NOTHING = new Lying(0, 0);
  }

  /// @param refuse closes the connection
  InboundStreams(Http2ConnectionHandler handler, Runnable refuse) {
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

  /// Ten times a second.
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

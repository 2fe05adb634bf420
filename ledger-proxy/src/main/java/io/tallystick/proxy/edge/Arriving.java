package io.tallystick.proxy.edge;

import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What has arrived of messages that are not handled yet, over all connections: a message that is
/// not whole lies in the transport until the rest comes, and a whole one until its call has its
/// turn. Beyond a bound the connection that has most is closed, and the one that has left one
/// undone longest. Thread-safe.
final class Arriving extends ServerStreamTracer.Factory {
  static final long BYTES_MAX = 64L << 20;

  /// What a message may take to arrive, or to be handled, while others want the room.
  static final Duration ARRIVING_MAX = Duration.ofSeconds(10);

  /// What a piece of a message takes beyond its bytes: it stays in a buffer of its own.
  static final int PIECE_OVERHEAD_BYTES = 512;

  private static final Context.Key<Call> ARRIVING = Context.key("arriving");

  private final HeldBytes held;

  /// @param closeConnection of the client at that address
  Arriving(Consumer<SocketAddress> closeConnection) {
    held = new HeldBytes(BYTES_MAX, ARRIVING_MAX, closeConnection);
  }

  /// What all messages that are not handled yet take in buffers, at least.
  long bufferBytes() {
    return held.bufferBytes();
  }

  /// The call of this thread, to be told when a message is handled; null on a server that does not
  /// count.
  static @Nullable Call current() {
    return ARRIVING.get();
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new Call();
  }

  /// A message, or what has come of it.
  private record Arrived(long bytes, long overheadBytes) {
    static final Arrived NOTHING = new Arrived(0, 0);
  }

  /// What has arrived for a call.
  final class Call extends ServerStreamTracer {
    /// The messages that are whole and not handled yet. Behind them the next one may have begun to
    /// arrive: gRPC asks for two messages where there is to be one.
    private final Queue<Arrived> whole = new ConcurrentLinkedQueue<>();

    /// The next one so far; by the transport's thread only.
    private Arrived begun = Arrived.NOTHING;

    private volatile @Nullable SocketAddress client;
    private final HeldBytes.Share share =
        held.new Share() {
          @Override
          @Nullable SocketAddress client() {
            return client;
          }

          @Override
          boolean isSettled() {
            return false;
          }
        };

    @Override
    public Context filterContext(Context context) {
      return context.withValue(ARRIVING, this);
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> call) {
      client = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    }

    @Override
    public void inboundWireSize(long bytes) {
      begun = new Arrived(begun.bytes + bytes, begun.overheadBytes + PIECE_OVERHEAD_BYTES);
      share.hold(bytes, PIECE_OVERHEAD_BYTES);
      held.makeRoom();
    }

    @Override
    public void inboundMessageRead(int number, long wireBytes, long messageBytes) {
      whole.add(begun);
      begun = Arrived.NOTHING;
    }

    /// The oldest whole message was.
    void handled() {
      Arrived message = whole.poll();
      if (message != null) {
        share.release(message.bytes, message.overheadBytes);
      }
    }

    @Override
    public void streamClosed(Status status) {
      share.end();
    }
  }
}

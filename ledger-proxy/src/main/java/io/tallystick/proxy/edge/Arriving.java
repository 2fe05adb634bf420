package io.tallystick.proxy.edge;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.tallystick.api.v1.JournalServiceGrpc;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What has arrived of messages that are not handled yet, over all connections: a message that is
/// not whole lies in the transport until the rest comes, and a whole one until its call has its
/// turn. Beyond a bound the connection that has left one undone longest, or else the one that has
/// most, is closed. Thread-safe.
final class Arriving extends ServerStreamTracer.Factory {
  static final long BYTES_MAX = 64L << 20;

  /// What a message may take to arrive, or to be handled, while others want the room.
  static final Duration ARRIVING_MAX = Duration.ofSeconds(10);

  private static final String APPEND = JournalServiceGrpc.getAppendMethod().getFullMethodName();

  private final HeldBytes held;

  /// @param closeConnection of the client at that address
  Arriving(Consumer<SocketAddress> closeConnection) {
    held = new HeldBytes(BYTES_MAX, ARRIVING_MAX, closeConnection);
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new Counting(method.equals(APPEND));
  }

  private final class Counting extends ServerStreamTracer {
    private final boolean appends;
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

    Counting(boolean appends) {
      this.appends = appends;
    }

    @Override
    public void serverCallStarted(ServerCallInfo<?, ?> call) {
      client = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    }

    @Override
    public void inboundWireSize(long bytes) {
      share.hold(bytes);
      held.makeRoom();
    }

    @Override
    public void inboundMessageRead(int number, long wireSize, long uncompressedSize) {
      // From here on an append has a place in its connection's budget.
      if (appends) {
        share.release();
      }
    }

    @Override
    public void streamClosed(Status status) {
      share.end();
    }
  }
}

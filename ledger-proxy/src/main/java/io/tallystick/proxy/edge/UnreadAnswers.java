package io.tallystick.proxy.edge;

import com.google.protobuf.MessageLite;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.health.v1.HealthGrpc;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What answers wait in memory for clients to read them, over all connections: HTTP/2 lets a client
/// open windows of no bytes and ask on. Beyond a bound further answers are refused, and of who has
/// read nothing for long the connection is closed. The streams of an append hold themselves back:
/// they are counted, never refused. Thread-safe.
final class UnreadAnswers implements ServerInterceptor {
  static final long BYTES_MAX = 64L << 20;

  /// After which an answer that is unread may cost its reader the connection, if room is wanted.
  static final Duration UNREAD_MAX = Duration.ofSeconds(30);

  /// What an answer costs beyond its bytes.
  private static final int OVERHEAD_BYTES = 4 << 10;

  private final Consumer<SocketAddress> closeConnection;
  private final long unreadMaxNanos;
  private final AtomicLong bytes = new AtomicLong();
  private final Map<Unread<?, ?>, Long> since = new ConcurrentHashMap<>();

  /// @param closeConnection of the client at that address
  UnreadAnswers(Consumer<SocketAddress> closeConnection, Duration unreadMax) {
    this.closeConnection = closeConnection;
    this.unreadMaxNanos = unreadMax.toNanos();
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    Unread<Q, R> unread = new Unread<>(call);
    return new SimpleForwardingServerCallListener<>(next.startCall(unread, headers)) {
      @Override
      public void onReady() {
        unread.release();
        super.onReady();
      }

      @Override
      public void onComplete() {
        unread.end();
        super.onComplete();
      }

      @Override
      public void onCancel() {
        unread.end();
        super.onCancel();
      }
    };
  }

  /// Carries a refusal out of a call's answer, to whoever answers.
  static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient RequestRejectedException refusal;

    private RefusedException(RequestRejectedException refusal) {
      super(refusal);
      this.refusal = refusal;
    }

    RequestRejectedException refusal() {
      return refusal;
    }
  }

  /// @return whether there is room for so many bytes more
  private boolean isRoomFor(long more) {
    if (bytes.get() + more <= BYTES_MAX) {
      return true;
    }
    closeLongestUnread();
    return false;
  }

  private void closeLongestUnread() {
    long now = System.nanoTime();
    since.entrySet().stream()
        .filter(entry -> now - entry.getValue() > unreadMaxNanos)
        .max(Comparator.comparingLong(entry -> now - entry.getValue()))
        .map(entry -> entry.getKey().client())
        .ifPresent(closeConnection);
  }

  /// A call and what of its answers is unread.
  private final class Unread<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private long held;
    private boolean ended;

    private Unread(ServerCall<Q, R> call) {
      super(call);
    }

    private @Nullable SocketAddress client() {
      return getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    }

    @Override
    public void sendMessage(R message) {
      if (isReady()) {
        release(); // what was sent before has left, but for some 32 KB
      }
      long more = OVERHEAD_BYTES;
      if (message instanceof MessageLite sized) {
        more += sized.getSerializedSize();
      }
      if (mayBeRefused() && !isRoomFor(more)) {
        throw new RefusedException(
            new RequestRejectedException(
                    RejectionCode.RATE_LIMITED,
                    "answers of " + BYTES_MAX + " bytes wait for their readers; try again later")
                .withLimit(BYTES_MAX));
      }
      hold(more);
      super.sendMessage(message);
    }

    private boolean mayBeRefused() {
      return getMethodDescriptor().getType() != MethodType.BIDI_STREAMING
          && !HealthGrpc.SERVICE_NAME.equals(getMethodDescriptor().getServiceName());
    }

    private synchronized void hold(long more) {
      if (ended) {
        return;
      }
      held += more;
      bytes.addAndGet(more);
      since.putIfAbsent(this, System.nanoTime());
    }

    private synchronized void end() {
      ended = true;
      release();
    }

    private synchronized void release() {
      bytes.addAndGet(-held);
      held = 0;
      since.remove(this);
    }
  }
}

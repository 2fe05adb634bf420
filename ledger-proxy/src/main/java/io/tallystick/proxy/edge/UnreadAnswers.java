package io.tallystick.proxy.edge;

import com.google.protobuf.MessageLite;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.health.v1.HealthGrpc;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What answers wait in memory for clients to read them, over all connections: HTTP/2 lets a client
/// open windows of no bytes and ask on. What is read has a bound beyond which it is refused; the
/// streams of appends, and health, have one of their own, beyond which the connection that leaves
/// most unread is closed. Thread-safe.
final class UnreadAnswers implements ServerInterceptor {
  /// Of reads, and of all else.
  static final long BYTES_MAX = 64L << 20;

  /// After which an answer that is unread may cost its reader the connection, if room is wanted.
  static final Duration UNREAD_MAX = Duration.ofSeconds(30);

  /// What may be unread of a stream whose handler goes on.
  private static final int READY_BYTES = 32 << 10;

  /// What may be unread of a stream that counts as read.
  private static final int READ_BYTES = 1 << 10;

  /// What a message costs beyond its buffer, which is as large as it, and the first one of a call.
  private static final int MESSAGE_OVERHEAD_BYTES = 512;

  private static final int CALL_OVERHEAD_BYTES = 4 << 10;

  private final HeldBytes reads;
  private final HeldBytes streams;

  /// @param closeConnection of the client at that address
  UnreadAnswers(Consumer<SocketAddress> closeConnection, Duration unreadMax) {
    this.reads = new HeldBytes(BYTES_MAX, unreadMax, closeConnection);
    this.streams = new HeldBytes(BYTES_MAX, unreadMax, closeConnection);
  }

  /// What all answers that are unread take in buffers, at least.
  long bufferBytes() {
    return reads.bufferBytes() + streams.bufferBytes();
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    boolean refusable = mayBeRefused(call.getMethodDescriptor());
    Unread<Q, R> unread = new Unread<>(call, refusable ? reads : streams, refusable);
    if (!unread.answersOnce()) {
      call.setOnReadyThreshold(READ_BYTES);
    }
    CallTracer.Trace trace = CallTracer.current();
    if (trace != null) {
      trace.whenClosed(unread.share::end);
    }
    return new SimpleForwardingServerCallListener<>(next.startCall(unread, headers)) {
      @Override
      public void onReady() {
        unread.wasRead();
        super.onReady();
      }

      @Override
      public void onComplete() {
        unread.share.end();
        super.onComplete();
      }

      @Override
      public void onCancel() {
        unread.share.end();
        super.onCancel();
      }
    };
  }

  private static boolean mayBeRefused(MethodDescriptor<?, ?> method) {
    return method.getType() != MethodType.BIDI_STREAMING
        && !HealthGrpc.SERVICE_NAME.equals(method.getServiceName());
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

  /// A call and what of its answers is unread.
  private static final class Unread<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final HeldBytes held;
    private final boolean refusable;
    private final HeldBytes.Share share;
    private boolean answered;
    private final AtomicLong unreadBytes = new AtomicLong();

    private Unread(ServerCall<Q, R> call, HeldBytes held, boolean refusable) {
      super(call);
      this.held = held;
      this.refusable = refusable;
      this.share =
          held.new Share() {
            @Override
            @Nullable SocketAddress client() {
              return call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
            }

            @Override
            boolean isSettled() {
              // A call that may send more is told when it has to wait. One answer alone is unread
              // until its call has ended.
              return !answersOnce() && call.isReady();
            }
          };
    }

    private boolean answersOnce() {
      return getMethodDescriptor().getType().serverSendsOneMessage();
    }

    /// False only while the transport is not ready either, which says when it is again.
    @Override
    public boolean isReady() {
      if (super.isReady()) {
        return true;
      }
      return share.held() > 0 && unreadBytes.get() < READY_BYTES;
    }

    /// All that was sent has left.
    private void wasRead() {
      unreadBytes.set(0);
      share.release();
    }

    @Override
    public void sendMessage(R message) {
      if (super.isReady()) {
        wasRead();
      }
      long bytes = message instanceof MessageLite sized ? sized.getSerializedSize() : 0;
      long overhead = (long) MESSAGE_OVERHEAD_BYTES + (answered ? 0 : CALL_OVERHEAD_BYTES);
      answered = true;
      if (refusable && !held.hasRoomFor(bytes + overhead)) {
        throw new RefusedException(
            new RequestRejectedException(
                    RejectionCode.RATE_LIMITED,
                    "answers of "
                        + held.bytesMax()
                        + " bytes wait for their readers; try again later")
                .withLimit(held.bytesMax()));
      }
      unreadBytes.addAndGet(bytes + MESSAGE_OVERHEAD_BYTES);
      share.hold(bytes, overhead);
      if (!refusable) {
        held.makeRoom();
      }
      super.sendMessage(message);
    }
  }
}

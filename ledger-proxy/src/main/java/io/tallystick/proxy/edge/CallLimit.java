package io.tallystick.proxy.edge;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.health.v1.HealthGrpc;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// How many calls may be under way, over all connections: one that only waits takes some kilobytes.
/// Beyond, a call makes room that waits for its client; if none has waited for long, the new one is
/// refused. As many more, refused ones too, may have ended without their end having left: beyond,
/// who has left one longest loses the connection. Health has limits of its own, so that it is
/// answered whatever others do. Thread-safe.
final class CallLimit implements ServerInterceptor {
  /// @param callsMax that are under way; as many that have ended and not left
  /// @param silentMax after which a call without its request may make room. Clients send it with
  ///   the call.
  /// @param idleMax after which a call may make room whose client has sent a message, and none
  ///   since
  record Bounds(int callsMax, Duration silentMax, Duration idleMax) {}

  static final Bounds OTHERS = new Bounds(8_192, Duration.ofMillis(500), Duration.ofSeconds(10));

  /// A check is answered by the thread that reads it, as soon as it is there, so the longest wait
  /// is no honest one.
  static final Bounds HEALTH = new Bounds(1_024, Duration.ZERO, Duration.ZERO);

  private final Calls calls;
  private final CallPlaces others;
  private final CallPlaces health;

  /// @param closeConnection of the client at that address
  CallLimit(Bounds others, Bounds health, Calls calls, Consumer<SocketAddress> closeConnection) {
    this.calls = calls;
    this.others = new CallPlaces(others, closeConnection);
    this.health = new CallPlaces(health, closeConnection);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    boolean asksHealth =
        HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName());
    CallPlaces places = asksHealth ? health : others;
    Counted<Q, R> counted = new Counted<>(call, places, calls, CallTracer.current());
    try {
      boolean entered = places.enter(counted.place);
      counted.follow();
      ServerCall.Listener<Q> listener =
          entered
              ? next.startCall(counted, headers)
              : calls.refuse(call, places.refusal("try again later"));
      return new Heard<>(listener, counted);
    } catch (Throwable failed) {
      places.leave(counted.place);
      throw failed;
    }
  }

  /// A call under way. A handler may send from a thread of its own at the moment when the call is
  /// displaced, and is not heard from then on.
  private static final class Counted<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final CallPlaces places;
    private final CallPlaces.Place place;
    private final CallTracer.@Nullable Trace trace;
    private boolean endedHere;

    /// @param trace null on a server that does not trace
    Counted(
        ServerCall<Q, R> call, CallPlaces places, Calls calls, CallTracer.@Nullable Trace trace) {
      super(call);
      this.places = places;
      this.trace = trace;
      this.place =
          new CallPlaces.Place(
              call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR),
              !call.getMethodDescriptor().getType().clientSendsOneMessage()) {
            @Override
            void displace() {
              synchronized (Counted.this) {
                endedHere = true;
                calls.end(call, trace, places.refusal("this one has waited longest"));
              }
            }
          };
    }

    /// What happens on the wire is known sooner than the listener hears of it, which waits for a
    /// turn of the call's executor.
    void follow() {
      if (trace != null) {
        trace.whenMessage(() -> places.heard(place));
        trace.whenClosed(() -> places.leave(place));
      }
    }

    @Override
    public void request(int messages) {
      places.asked(place);
      super.request(messages);
    }

    @Override
    public synchronized void sendHeaders(Metadata headers) {
      if (!endedHere) {
        super.sendHeaders(headers);
      }
    }

    @Override
    public synchronized void sendMessage(R message) {
      if (!endedHere) {
        super.sendMessage(message);
      }
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (!places.end(place)) {
        return;
      }
      synchronized (this) {
        super.close(status, trailers);
      }
      places.makeRoomForEnded();
    }
  }

  /// Hears what becomes of a call; its handler does not hear that a displaced one has ended well.
  private static final class Heard<Q, R> extends SimpleForwardingServerCallListener<Q> {
    private final Counted<Q, R> call;
    private final Arriving.@Nullable Call arriving = Arriving.current();

    Heard(ServerCall.Listener<Q> listener, Counted<Q, R> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      if (!call.place.isDisplaced()) {
        super.onMessage(message);
      } else if (arriving != null) {
        arriving.handled();
      }
    }

    @Override
    public void onHalfClose() {
      if (call.places.keep(call.place)) {
        super.onHalfClose();
      }
    }

    @Override
    public void onComplete() {
      call.places.leave(call.place);
      if (call.place.isDisplaced()) {
        super.onCancel();
      } else {
        super.onComplete();
      }
    }

    @Override
    public void onCancel() {
      call.places.leave(call.place);
      super.onCancel();
    }
  }
}

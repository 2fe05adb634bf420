package io.tallystick.proxy.edge;

import io.grpc.Context;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.health.v1.HealthGrpc;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// The calls under way over all connections: at most so many, and what each holds of a message that
/// has not wholly come and of answers that have not left. Calls of health have a limit of their
/// own, so that they are answered however many others there are. Thread-safe.
final class CallsUnderWay extends ServerStreamTracer.Factory implements ServerInterceptor {
  static final int OTHERS_MAX = 8_192;
  static final int HEALTH_MAX = 1_024;

  private static final Context.Key<Wire> WIRE = Context.key("call-wire");

  private final Calls calls;
  private final Places others;
  private final Places health;

  CallsUnderWay(int othersMax, int healthMax, Calls calls) {
    this.calls = calls;
    this.others = new Places(othersMax, ConcurrentHashMap.newKeySet());
    this.health = new Places(healthMax, ConcurrentHashMap.newKeySet());
  }

  private record Places(int max, Set<Open> open) {}

  /// The bytes of one call.
  private static final class Wire extends ServerStreamTracer {
    private final AtomicLong half = new AtomicLong();
    private final AtomicLong unread = new AtomicLong();

    @Override
    public Context filterContext(Context context) {
      return context.withValue(WIRE, this);
    }

    @Override
    public void inboundWireSize(long bytes) {
      half.addAndGet(bytes);
    }

    @Override
    public void inboundMessageRead(int number, long wireBytes, long messageBytes) {
      half.set(0);
    }

    @Override
    public void outboundWireSize(long bytes) {
      unread.addAndGet(bytes);
    }
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new Wire();
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    Places places =
        HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName())
            ? health
            : others;
    if (places.open.size() >= places.max) {
      return calls.refuse(
          call,
          new RequestRejectedException(
                  RejectionCode.RATE_LIMITED, places.max + " calls are under way; try again later")
              .withLimit(places.max));
    }
    Open open = new Open(call, Objects.requireNonNull(WIRE.get()));
    places.open.add(open);
    try {
      return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
        @Override
        public void onReady() {
          if (call.isReady()) {
            open.wire.unread.set(0);
          }
          super.onReady();
        }

        @Override
        public void onComplete() {
          places.open.remove(open);
          super.onComplete();
        }

        @Override
        public void onCancel() {
          places.open.remove(open);
          super.onCancel();
        }
      };
    } catch (Throwable failed) {
      places.open.remove(open);
      throw failed;
    }
  }

  /// The bytes that they hold, by client.
  Map<SocketAddress, Long> heldBytes() {
    Map<SocketAddress, Long> held = new HashMap<>();
    for (Places places : List.of(others, health)) {
      for (Open open : places.open) {
        SocketAddress client = open.call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        if (client != null) {
          held.merge(client, open.heldBytes(), Long::sum);
        }
      }
    }
    return held;
  }

  /// One call, until its end has left or its client is gone.
  private record Open(ServerCall<?, ?> call, Wire wire) {
    long heldBytes() {
      // Ready is a call whose answers have left, but for some 32 KB.
      return wire.half.get() + (call.isReady() ? 0 : wire.unread.get());
    }
  }
}

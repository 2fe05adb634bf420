package io.tallystick.proxy.edge;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.health.v1.HealthGrpc;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// How many calls may be under way, over all connections: one that only waits takes some kilobytes.
/// Health has a limit of its own, so that it is answered whatever others do. Thread-safe.
final class CallLimit implements ServerInterceptor {
  static final int CALLS_MAX = 8_192;
  static final int HEALTH_CALLS_MAX = 1_024;

  private final Calls calls;
  private final Limit others;
  private final Limit health;

  private record Limit(int callsMax, AtomicInteger underWay) {
    boolean enter() {
      if (underWay.incrementAndGet() <= callsMax) {
        return true;
      }
      underWay.decrementAndGet();
      return false;
    }

    void leave(AtomicBoolean left) {
      if (left.compareAndSet(false, true)) {
        underWay.decrementAndGet();
      }
    }
  }

  /// @param callsMax {@link #CALLS_MAX}
  /// @param healthCallsMax {@link #HEALTH_CALLS_MAX}
  CallLimit(int callsMax, int healthCallsMax, Calls calls) {
    this.calls = calls;
    this.others = new Limit(callsMax, new AtomicInteger());
    this.health = new Limit(healthCallsMax, new AtomicInteger());
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    boolean asksHealth =
        HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName());
    Limit limit = asksHealth ? health : others;
    if (!limit.enter()) {
      return calls.refuse(
          call,
          new RequestRejectedException(
                  RejectionCode.RATE_LIMITED,
                  limit.callsMax() + " calls are under way; try again later")
              .withLimit(limit.callsMax()));
    }
    AtomicBoolean left = new AtomicBoolean();
    try {
      return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
        @Override
        public void onComplete() {
          limit.leave(left);
          super.onComplete();
        }

        @Override
        public void onCancel() {
          limit.leave(left);
          super.onCancel();
        }
      };
    } catch (Throwable failed) {
      limit.leave(left);
      throw failed;
    }
  }
}

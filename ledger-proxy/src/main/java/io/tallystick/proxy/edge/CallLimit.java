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
/// Health has a limit of its own, and is always answered. Thread-safe.
final class CallLimit implements ServerInterceptor {
  static final int CALLS_MAX = 8_192;

  private final int callsMax;
  private final Calls calls;
  private final AtomicInteger underWay = new AtomicInteger();

  /// @param callsMax {@link #CALLS_MAX}
  CallLimit(int callsMax, Calls calls) {
    this.callsMax = callsMax;
    this.calls = calls;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    if (HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName())) {
      return next.startCall(call, headers);
    }
    if (underWay.incrementAndGet() > callsMax) {
      underWay.decrementAndGet();
      return calls.refuse(
          call,
          new RequestRejectedException(
                  RejectionCode.RATE_LIMITED, callsMax + " calls are under way; try again later")
              .withLimit(callsMax));
    }
    AtomicBoolean left = new AtomicBoolean();
    try {
      return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
        @Override
        public void onComplete() {
          leave(left);
          super.onComplete();
        }

        @Override
        public void onCancel() {
          leave(left);
          super.onCancel();
        }
      };
    } catch (Throwable failed) {
      leave(left);
      throw failed;
    }
  }

  private void leave(AtomicBoolean left) {
    if (left.compareAndSet(false, true)) {
      underWay.decrementAndGet();
    }
  }
}

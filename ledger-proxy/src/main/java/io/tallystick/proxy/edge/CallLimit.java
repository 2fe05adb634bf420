package io.tallystick.proxy.edge;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.health.v1.HealthGrpc;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/// How many calls may be under way, over all connections: one that only waits takes some kilobytes.
/// Beyond, a call makes room whose client has opened it and not sent its request since; if there is
/// none, the new one is refused. Health has a limit of its own, so that it is answered whatever
/// others do. Thread-safe.
final class CallLimit implements ServerInterceptor {
  static final int CALLS_MAX = 8_192;
  static final int HEALTH_CALLS_MAX = 1_024;

  /// After which a call without its request may make room. Clients send it with the call.
  static final Duration SILENT_MAX = Duration.ofMillis(500);

  private final Calls calls;
  private final Limit others;
  private final Limit health;

  /// @param callsMax {@link #CALLS_MAX}
  /// @param healthCallsMax {@link #HEALTH_CALLS_MAX}
  CallLimit(int callsMax, int healthCallsMax, Calls calls) {
    this.calls = calls;
    this.others = new Limit(callsMax);
    this.health = new Limit(healthCallsMax);
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    boolean asksHealth =
        HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName());
    Limit limit = asksHealth ? health : others;
    Counted<Q, R> counted = new Counted<>(call, limit, calls, CallTracer.current());
    if (!limit.enter(counted)) {
      return calls.refuse(call, limit.refusal("try again later"));
    }
    counted.leaveWhenClosed();
    try {
      return new Heard<>(next.startCall(counted, headers), counted);
    } catch (Throwable failed) {
      limit.leave(counted);
      throw failed;
    }
  }

  /// The calls under way. A call that was displaced has left.
  private static final class Limit {
    private final int callsMax;
    private final SequencedSet<Counted<?, ?>> silent = new LinkedHashSet<>();
    private int underWay;

    Limit(int callsMax) {
      this.callsMax = callsMax;
    }

    boolean enter(Counted<?, ?> call) {
      Counted<?, ?> displaced = null;
      synchronized (this) {
        if (underWay == callsMax) {
          displaced = longestSilent();
          if (displaced == null) {
            return false;
          }
          displaced.displaced = true;
          leave(displaced);
        }
        underWay++;
        silent.add(call);
      }
      if (displaced != null) {
        displaced.end(refusal("this one has waited longest for its request"));
      }
      return true;
    }

    private @Nullable Counted<?, ?> longestSilent() {
      if (silent.isEmpty()) {
        return null;
      }
      Counted<?, ?> oldest = silent.getFirst();
      return System.nanoTime() - oldest.sinceNanos > SILENT_MAX.toNanos() ? oldest : null;
    }

    /// Whether the call goes on: it is no longer silent, and will not be displaced if it was not
    /// yet.
    synchronized boolean keeps(Counted<?, ?> call) {
      silent.remove(call);
      return !call.displaced;
    }

    synchronized void leave(Counted<?, ?> call) {
      silent.remove(call);
      if (!call.left) {
        call.left = true;
        underWay--;
      }
    }

    RequestRejectedException refusal(String why) {
      return new RequestRejectedException(
              RejectionCode.RATE_LIMITED, callsMax + " calls are under way; " + why)
          .withLimit(callsMax);
    }
  }

  /// A call under way. Its handler neither sends nor closes before it has the request, but to
  /// refuse or to shut down.
  private static final class Counted<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final Limit limit;
    private final Calls calls;
    private final CallTracer.@Nullable Trace trace;
    private final long sinceNanos = System.nanoTime();

    // Both under the limit's lock.
    private boolean displaced;
    private boolean left;

    /// @param trace null on a server that does not trace
    Counted(ServerCall<Q, R> call, Limit limit, Calls calls, CallTracer.@Nullable Trace trace) {
      super(call);
      this.limit = limit;
      this.calls = calls;
      this.trace = trace;
    }

    /// Sooner than the listener hears of it, which waits for a turn of the call's executor.
    void leaveWhenClosed() {
      if (trace != null) {
        trace.whenClosed(() -> limit.leave(this));
      }
    }

    void end(RequestRejectedException refusal) {
      calls.end(delegate(), trace, refusal);
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (limit.keeps(this)) {
        super.close(status, trailers);
      }
    }
  }

  /// Hears when the request is there: of one message the end, of a stream the first.
  private static final class Heard<Q, R> extends SimpleForwardingServerCallListener<Q> {
    private final Counted<Q, R> call;
    private final boolean oneMessage;
    private boolean request;

    Heard(ServerCall.Listener<Q> listener, Counted<Q, R> call) {
      super(listener);
      this.call = call;
      this.oneMessage = call.getMethodDescriptor().getType().clientSendsOneMessage();
    }

    private boolean goesOn() {
      request = request || call.limit.keeps(call);
      return request;
    }

    @Override
    public void onMessage(Q message) {
      if (oneMessage || goesOn()) {
        super.onMessage(message);
      }
    }

    @Override
    public void onHalfClose() {
      if (goesOn()) {
        super.onHalfClose();
      }
    }

    @Override
    public void onComplete() {
      call.limit.leave(call);
      if (goesOn()) {
        super.onComplete();
      } else {
        super.onCancel(); // its handler has not ended it
      }
    }

    @Override
    public void onCancel() {
      call.limit.leave(call);
      super.onCancel();
    }
  }
}

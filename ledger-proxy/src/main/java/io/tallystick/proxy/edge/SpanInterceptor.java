package io.tallystick.proxy.edge;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.Problem;
import io.tallystick.proxy.trace.Tracing;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// A span for each call, named by its method.
record SpanInterceptor(Tracing tracing) implements ServerInterceptor {
  private static final Metadata.Key<String> TRACEPARENT =
      Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);
  private static final AttributeKey<String> RPC_SYSTEM = AttributeKey.stringKey("rpc.system");
  private static final AttributeKey<Long> GRPC_STATUS =
      AttributeKey.longKey("rpc.grpc.status_code");

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    Span span =
        tracing.begin(call.getMethodDescriptor().getFullMethodName(), headers.get(TRACEPARENT));
    if (!span.isRecording()) {
      return next.startCall(call, headers);
    }
    span.setAttribute(RPC_SYSTEM, "grpc");
    Ending<Q, R> ending = new Ending<>(call, span);
    return new SimpleForwardingServerCallListener<>(next.startCall(ending, headers)) {
      @Override
      public void onCancel() {
        ending.end(Status.CANCELLED, null);
        super.onCancel();
      }
    };
  }

  /// Ends the span with the call, however that ends.
  private static final class Ending<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final Span span;
    private final AtomicBoolean ended = new AtomicBoolean();

    Ending(ServerCall<Q, R> call, Span span) {
      super(call);
      this.span = span;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      end(status, trailers.get(ProblemTrailer.KEY));
      super.close(status, trailers);
    }

    private void end(Status status, @Nullable Problem problem) {
      if (!ended.compareAndSet(false, true)) {
        return;
      }
      span.setAttribute(GRPC_STATUS, status.getCode().value());
      if (problem != null) {
        span.setAttribute(Tracing.PROBLEM, problem.getCode());
      }
      if (status.getCode() == Status.Code.INTERNAL || status.getCode() == Status.Code.UNKNOWN) {
        span.setStatus(StatusCode.ERROR);
      }
      span.end();
    }
  }
}

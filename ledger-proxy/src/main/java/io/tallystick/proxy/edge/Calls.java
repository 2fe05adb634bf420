package io.tallystick.proxy.edge;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.StreamEnd;
import io.tallystick.api.v1.Problem;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.trace.LineLimit;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the work of a call and answers what comes of it: a value, a refusal, or that we failed.
/// Counts refusals.
record Calls(ProxyMetrics metrics) {
  private static final Logger LOG = LoggerFactory.getLogger(Calls.class);
  private static final LineLimit LINES = new LineLimit();

  /// The work of a call that answers once.
  @FunctionalInterface
  interface Work<T> {
    T run() throws RequestRejectedException;
  }

  <T> void answer(StreamObserver<T> observer, Work<T> work) {
    T value;
    try {
      value = work.run();
    } catch (RequestRejectedException | RuntimeException | Error e) {
      observer.onError(status(e));
      return;
    }
    observer.onNext(value);
    observer.onCompleted();
  }

  /// The same for work that others do meanwhile: no thread waits for it here.
  <T, R> void answerLater(
      StreamObserver<R> observer, Work<CompletableFuture<T>> work, Function<T, R> toWire) {
    CompletableFuture<T> outcome;
    try {
      outcome = work.run();
    } catch (RequestRejectedException | RuntimeException | Error e) {
      observer.onError(status(e));
      return;
    }
    CompletableFuture<?> _ =
        outcome.whenComplete((value, failure) -> {
          if (failure != null) {
            observer.onError(
                status(
                    failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure));
            return;
          }
          observer.onNext(toWire.apply(value));
          observer.onCompleted();
        });
  }

  /// The status that ends a call that failed with `failure`.
  StatusRuntimeException status(Throwable failure) {
    if (failure instanceof RequestRejectedException refusal) {
      metrics.refused(refusal.code());
      return GrpcProblems.toStatus(refusal);
    }
    LINES.line(end -> LOG.error("A call failed{}", end, failure));
    metrics.failed();
    return GrpcProblems.internalStatus();
  }

  /// Ends a call before it has a handler.
  <Q, R> ServerCall.Listener<Q> refuse(ServerCall<Q, R> call, RequestRejectedException refusal) {
    StatusRuntimeException end = status(refusal);
    CallTracer.Trace trace = CallTracer.current();
    if (trace != null) {
      trace.endedHere();
    }
    call.close(end.getStatus(), Objects.requireNonNullElseGet(end.getTrailers(), Metadata::new));
    return new ServerCall.Listener<>() {};
  }

  /// The answer to a submission that failed with `failure`.
  Problem submissionProblem(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    RequestRejectedException refusal =
        cause instanceof RequestRejectedException rejected ? rejected : outcomeUnknown(cause);
    metrics.refused(refusal.code());
    return GrpcProblems.toProto(refusal);
  }

  private static RequestRejectedException outcomeUnknown(Throwable cause) {
    LINES.line(end -> LOG.error("A submission failed{}", end, cause));
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE,
        "the service stopped before the outcome was known; the same signatures again will tell",
        cause);
  }

  /// The status of an append stream that was told to end, by a shutdown or by its connection's age.
  static StatusRuntimeException endedInOrder() {
    Metadata trailers = new Metadata();
    trailers.put(StreamEnd.KEY, StreamEnd.IN_ORDER);
    return Status.UNAVAILABLE
        .withDescription("unavailable: the service ends this stream; go on with another")
        .asRuntimeException(trailers);
  }

  static StatusRuntimeException shuttingDown() {
    return Status.UNAVAILABLE
        .withDescription("unavailable: the service is shutting down")
        .asRuntimeException();
  }
}

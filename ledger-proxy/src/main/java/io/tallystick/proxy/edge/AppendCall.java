package io.tallystick.proxy.edge;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.execute.ExecutePhase;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.server.AppendTicket;
import io.tallystick.server.AppendTicket.Committed;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// One Append stream. Messages are asked for one at a time and only while the connection has room
/// and the client reads its answers; every submission is answered exactly once, by its id, whatever
/// becomes of it. Answers are written in turns, never by a thread of the node.
final class AppendCall implements StreamObserver<AppendRequest>, OpenCalls.Call {
  private record Answer(AppendResponse response, long costBytes) {}

  private final ServerCallStreamObserver<AppendResponse> responses;
  private final ExecutePhase execute;
  private final Calls calls;
  private final ProxyMetrics metrics;
  private final OpenCalls openCalls;
  private final ConnectionBudget budget;

  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger outstanding = new AtomicInteger();
  private final AtomicBoolean asked = new AtomicBoolean();
  private final Runnable askForMore = this::askForMore;
  private final Turns turns;
  private volatile boolean halfClosed;
  private volatile boolean draining;
  private volatile boolean cancelled;
  private boolean ended;

  AppendCall(
      ServerCallStreamObserver<AppendResponse> responses,
      ExecutePhase execute,
      Calls calls,
      OpenCalls openCalls,
      Executor executor) {
    this.responses = responses;
    this.execute = execute;
    this.calls = calls;
    this.metrics = calls.metrics();
    this.openCalls = openCalls;
    this.budget = ConnectionBudget.current();
    this.turns = new Turns(executor, this::writeAnswers);
  }

  /// Before the service method returns.
  AppendCall start() {
    responses.disableAutoRequest();
    responses.setOnReadyHandler(askForMore);
    responses.setOnCancelHandler(this::cancel);
    openCalls.add(this);
    askForMore();
    return this;
  }

  private void askForMore() {
    boolean wanted = !halfClosed && !draining && !cancelled && responses.isReady();
    // Of several who come here at once, one asks.
    if (wanted && budget.hasRoom(askForMore) && asked.compareAndSet(false, true)) {
      responses.request(1);
    }
  }

  @Override
  public void onNext(AppendRequest request) {
    asked.set(false);
    outstanding.incrementAndGet();
    long cost = (long) request.getSerializedSize() + ConnectionBudget.OVERHEAD_BYTES;
    budget.take(cost);
    long startNanos = System.nanoTime();
    CompletableFuture<AppendResponse> _ =
        submit(request)
            .whenComplete((response, failure) -> {
              if (response != null) {
                acknowledged(response, startNanos);
              }
              answers.add(new Answer(orProblem(request.getId(), response, failure), cost));
              turns.wake();
            });
    askForMore();
  }

  private CompletableFuture<AppendResponse> submit(AppendRequest request) {
    try {
      return execute
          .submit(FromProto.submission(request))
          .thenCompose(ticket -> outcome(request, ticket));
    } catch (RequestRejectedException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<AppendResponse> outcome(
      AppendRequest request, AppendTicket ticket) {
    AppendResponse.Builder response = AppendResponse.newBuilder().setId(request.getId());
    return switch (request.getMode()) {
      case RECEIPT, UNRECOGNIZED ->
          ticket
              .receipted()
              .thenApply(done ->
                  response
                      .setReceipted(ToProto.receipted(done.committed(), done.rangeReceipt()))
                      .build());
      case DEFERRED ->
          ticket
              .committed()
              .thenApply((Committed done) -> response.setDeferred(ToProto.deferred(done)).build());
    };
  }

  private AppendResponse orProblem(
      long id, @Nullable AppendResponse response, @Nullable Throwable failure) {
    if (response != null) {
      return response;
    }
    Throwable cause = failure == null ? new AssertionError("neither value nor failure") : failure;
    return AppendResponse.newBuilder().setId(id).setProblem(calls.submissionProblem(cause)).build();
  }

  private void acknowledged(AppendResponse response, long startNanos) {
    long nanos = System.nanoTime() - startNanos;
    if (response.hasReceipted()) {
      metrics.appended(
          response.getReceipted().getCount(), response.getReceipted().getRepeated(), nanos);
    } else {
      metrics.appended(
          response.getDeferred().getCount(), response.getDeferred().getRepeated(), nanos);
    }
  }

  /// In turns only.
  private void writeAnswers() {
    for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
      if (!cancelled) {
        responses.onNext(answer.response());
      }
      budget.give(answer.costBytes());
      outstanding.decrementAndGet();
    }
    askForMore();
    endIfDone();
  }

  private void endIfDone() {
    if (ended || outstanding.get() != 0 || !(halfClosed || draining || cancelled)) {
      return;
    }
    ended = true;
    openCalls.remove(this);
    budget.forget(askForMore);
    if (!cancelled && halfClosed) {
      responses.onCompleted();
    } else if (!cancelled) {
      responses.onError(Calls.shuttingDown());
    }
  }

  @Override
  public void onCompleted() {
    halfClosed = true;
    turns.wake();
  }

  @Override
  public void onError(Throwable cancellation) {
    cancel();
  }

  /// Submissions already taken go on: the client can learn their fate by sending them again.
  private void cancel() {
    cancelled = true;
    turns.wake();
  }

  @Override
  public void drain() {
    draining = true;
    turns.wake();
  }
}

package io.tallystick.proxy.edge;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter.ReceiptedRun;
import io.tallystick.proxy.execute.ExecutePhase;
import io.tallystick.proxy.execute.ProxyMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// One Append stream. Messages are asked for one at a time and only while the connection has room
/// and the client reads its answers; every submission is answered exactly once, by its id, whatever
/// becomes of it. No call of the transport waits, so answers are written by the threads that bring
/// them.
final class AppendCall
    implements StreamObserver<AppendRequest>, OpenCalls.Call, TakenSubmission.Taker {
  private final ServerCallStreamObserver<AppendResponse> responses;
  private final ExecutePhase execute;
  private final Calls calls;
  private final OpenCalls openCalls;
  private final ConnectionBudget budget;

  private final Queue<PackedAnswers.Answer> answers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger outstanding = new AtomicInteger();
  private final AtomicBoolean asked = new AtomicBoolean();
  private final Runnable askForMore = this::askForMore;
  private final DrainLoop writing = new DrainLoop(this::writeAnswers);
  private final PackedAnswers packed;
  private volatile boolean halfClosed;
  private volatile boolean draining;
  private volatile boolean cancelled;
  private boolean ended;

  AppendCall(
      ServerCallStreamObserver<AppendResponse> responses,
      ExecutePhase execute,
      Calls calls,
      OpenCalls openCalls) {
    this.responses = responses;
    this.execute = execute;
    this.calls = calls;
    this.openCalls = openCalls;
    this.budget = ConnectionBudget.current();
    this.packed = new PackedAnswers(responses);
  }

  /// Before the service method returns.
  AppendCall start() {
    responses.disableAutoRequest();
    responses.setOnReadyHandler(askForMore);
    responses.setOnCancelHandler(this::cancel);
    openCalls.add(this);
    budget.appends().add(this);
    askForMore();
    return this;
  }

  @Override
  public ProxyMetrics metrics() {
    return calls.metrics();
  }

  private void askForMore() {
    boolean wanted = !halfClosed && !draining && !cancelled && responses.isReady();
    // Of several who come here at once, one asks.
    if (wanted && budget.hasRoom(askForMore) && asked.compareAndSet(false, true)) {
      responses.request(1);
    }
  }

  @Override
  public void onNext(AppendRequest message) {
    asked.set(false);
    try {
      PackedAnswers.checkMessage(message);
    } catch (RequestRejectedException e) {
      throw calls.status(e);
    }
    List<TakenSubmission> taken = taken(message);
    outstanding.addAndGet(taken.size());
    long cost = 0;
    for (TakenSubmission each : taken) {
      cost += each.costBytes();
    }
    budget.take(cost);
    execute.submit(taken);
    askForMore();
  }

  private List<TakenSubmission> taken(AppendRequest message) {
    long nanos = System.nanoTime();
    List<TakenSubmission> taken = new ArrayList<>(1 + message.getMoreCount());
    taken.add(new TakenSubmission(this, message, nanos));
    for (AppendRequest further : message.getMoreList()) {
      taken.add(new TakenSubmission(this, further, nanos));
    }
    return taken;
  }

  /// The receipt of submissions that asked for packed answers.
  @Override
  public void receipted(ReceiptedRun run) {
    List<AppendResponse> packedResponses = new ArrayList<>(run.waiters().size());
    long cost = 0;
    for (int i = 0; i < run.waiters().size(); i++) {
      TakenSubmission taken = (TakenSubmission) run.waiters().get(i);
      Committed committed = run.committed().get(i);
      if (!taken.acknowledged(committed)) {
        throw new AssertionError("submission " + taken.id() + " is answered twice");
      }
      packedResponses.add(
          AppendResponse.newBuilder()
              .setId(taken.id())
              .setReceipted(
                  i == 0
                      ? ToProto.receipted(committed, run.rangeReceipt())
                      : ToProto.receipted(committed))
              .build());
      cost += taken.costBytes();
    }
    answer(new PackedAnswers.Answer(packedResponses, cost, true));
  }

  @Override
  public void failed(TakenSubmission taken, Throwable cause) {
    answer(
        taken,
        AppendResponse.newBuilder()
            .setId(taken.id())
            .setProblem(calls.submissionProblem(cause))
            .build());
  }

  @Override
  public void answer(TakenSubmission taken, AppendResponse response) {
    answer(new PackedAnswers.Answer(List.of(response), taken.costBytes(), taken.wantsPacked()));
  }

  private void answer(PackedAnswers.Answer answer) {
    answers.add(answer);
    writing.wake();
  }

  /// By one thread at a time.
  private void writeAnswers() {
    long cost = 0;
    int count = 0;
    // What arrived while a draining stream was being ended has nobody to be told any more.
    boolean open = !cancelled && !ended;
    for (PackedAnswers.Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
      if (open) {
        packed.add(answer);
      }
      cost += answer.costBytes();
      count += answer.responses().size();
    }
    if (open) {
      packed.flush();
    }
    budget.give(cost);
    outstanding.addAndGet(-count);
    askForMore();
    endIfDone();
  }

  private void endIfDone() {
    if (ended || outstanding.get() != 0 || !(halfClosed || draining || cancelled)) {
      return;
    }
    ended = true;
    openCalls.remove(this);
    budget.appends().remove(this);
    budget.forget(askForMore);
    if (!cancelled && halfClosed) {
      responses.onCompleted();
    } else if (!cancelled) {
      responses.onError(Calls.endedInOrder());
    }
  }

  @Override
  public void onCompleted() {
    halfClosed = true;
    writing.wake();
  }

  @Override
  public void onError(Throwable cancellation) {
    cancel();
  }

  /// Submissions already taken go on: the client can learn their fate by sending them again.
  private void cancel() {
    cancelled = true;
    writing.wake();
  }

  @Override
  public void drain() {
    draining = true;
    writing.wake();
  }
}

package io.tallystick.proxy.edge;

import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.SignedRequest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.proxy.execute.Arrival;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.execute.UnverifiedSubmission;
import java.util.concurrent.atomic.AtomicBoolean;

/// A submission an Append stream has taken, until it is answered. It is its own stream when it did
/// not ask for a packed answer, so that its receipt is its own.
final class TakenSubmission implements Arrival, AppendWaiter, AppendWaiter.Stream {
  /// The stream that has taken it, and writes its answer.
  interface Taker extends AppendWaiter.Stream {
    ProxyMetrics metrics();

    void answer(TakenSubmission taken, AppendResponse response);

    void failed(TakenSubmission taken, Throwable cause);
  }

  private final Taker call;
  private final AppendRequest request;
  private final long startNanos;
  private final int sizeBytes;
  private final AtomicBoolean answered = new AtomicBoolean();

  /// @param startNanos when it arrived, by `System.nanoTime`
  TakenSubmission(Taker call, AppendRequest request, long startNanos) {
    this.call = call;
    this.request = request;
    this.startNanos = startNanos;
    this.sizeBytes = sizeOf(request);
  }

  /// Without `more`, which are submissions of their own.
  private static int sizeOf(AppendRequest request) {
    int bytes = request.getAttestation().size();
    for (SignedRequest each : request.getRequestsList()) {
      bytes += each.getHeader().size() + each.getSalt().size();
      bytes += each.getBody().size() + each.getOps().size();
    }
    return bytes;
  }

  long id() {
    return request.getId();
  }

  boolean wantsPacked() {
    return request.getPackedAnswer();
  }

  /// The bytes that it takes of the connection's budget.
  long costBytes() {
    return (long) sizeBytes + ConnectionBudget.OVERHEAD_BYTES;
  }

  @Override
  public int sizeBytes() {
    return sizeBytes;
  }

  @Override
  public UnverifiedSubmission submission() throws RequestRejectedException {
    return FromProto.submission(request);
  }

  @Override
  public AppendWaiter waiter() {
    return this;
  }

  @Override
  public AppendWaiter.Stream stream() {
    return wantsPacked() && !wantsCommitted() ? call : this;
  }

  @Override
  public boolean wantsCommitted() {
    return request.getMode() == AppendRequest.Mode.DEFERRED;
  }

  @Override
  public void committed(Committed outcome) {
    if (acknowledged(outcome)) {
      call.answer(
          this,
          AppendResponse.newBuilder().setId(id()).setDeferred(ToProto.deferred(outcome)).build());
    }
  }

  /// Its own receipt.
  @Override
  public void receipted(ReceiptedRun run) {
    Committed outcome = run.committed().getFirst();
    if (wantsCommitted()) {
      // A repeat is committed long since: nobody has told it so yet.
      committed(outcome);
    } else if (acknowledged(outcome)) {
      call.answer(
          this,
          AppendResponse.newBuilder()
              .setId(id())
              .setReceipted(ToProto.receipted(outcome, run.rangeReceipt()))
              .build());
    }
  }

  @Override
  public void failed(Throwable cause) {
    if (answered.compareAndSet(false, true)) {
      call.failed(this, cause);
    }
  }

  /// Counts it.
  ///
  /// @return whether it was not answered before
  boolean acknowledged(Committed outcome) {
    if (!answered.compareAndSet(false, true)) {
      return false;
    }
    call.metrics().appended(outcome.count(), outcome.repeated(), System.nanoTime() - startNanos);
    return true;
  }
}

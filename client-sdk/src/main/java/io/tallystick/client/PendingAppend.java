package io.tallystick.client;

import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.internal.append.SignedSubmission;
import io.tallystick.client.wire.AppendReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/// A submission sent and not yet answered: as evidence, or, deferred, as a promise. Completes on
/// `workers`, so that what hangs on it keeps nobody else waiting.
final class PendingAppend implements AppendReply {
  private final ReceiptChecker checker;
  private final SignedSubmission submission;
  private final boolean deferred;
  private final Executor workers;
  private final CompletableFuture<VerifiedBatch> receipted = new CompletableFuture<>();
  private final CompletableFuture<Promise> promised = new CompletableFuture<>();

  PendingAppend(
      ReceiptChecker checker, SignedSubmission submission, boolean deferred, Executor workers) {
    this.checker = checker;
    this.submission = submission;
    this.deferred = deferred;
    this.workers = workers;
  }

  ReceiptChecker checker() {
    return checker;
  }

  SignedSubmission submission() {
    return submission;
  }

  boolean deferred() {
    return deferred;
  }

  /// Completes unless it is deferred.
  CompletableFuture<VerifiedBatch> receipted() {
    return receipted;
  }

  /// Completes if it is deferred.
  CompletableFuture<Promise> promised() {
    return promised;
  }

  @Override
  public void failed(TallyException why) {
    workers.execute(() -> settleAsFailed(why));
  }

  /// On the caller's thread.
  void settleAsFailed(TallyException why) {
    TallyException told =
        why instanceof ServiceUnavailableException unknown && unknown.outcomeUnknown()
            ? unknown.withPending(PendingRequest.of(submission).encode())
            : why;
    receipted.completeExceptionally(told);
    promised.completeExceptionally(told);
  }
}

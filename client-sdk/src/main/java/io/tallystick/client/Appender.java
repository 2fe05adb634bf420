package io.tallystick.client;

import io.tallystick.api.v1.AppendRequest;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.internal.append.SignedSubmission;
import io.tallystick.client.wire.AppendPipe;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

/// Signs, sends, and has checked what comes back, on `workers`. Thread-safe.
final class Appender {
  private final AppendPipe pipe;
  private final ReceiptChecker checker;
  private final List<ClientKey> keys;
  private final Executor workers;

  Appender(AppendPipe pipe, ReceiptChecker checker, List<ClientKey> keys, Executor workers) {
    this.pipe = pipe;
    this.checker = checker;
    this.keys = List.copyOf(keys);
    this.workers = workers;
  }

  /// @throws IllegalArgumentException if the drafts break a limit of the format
  /// @throws IllegalStateException if there is no key to sign with
  SignedSubmission sign(List<RequestDraft> drafts) {
    if (keys.isEmpty()) {
      throw new IllegalStateException("this handle has no key to sign with");
    }
    if (drafts.isEmpty() || drafts.size() > Limits.BATCH_COUNT_MAX) {
      throw new IllegalArgumentException(
          drafts.size() + " journals, want 1 to " + Limits.BATCH_COUNT_MAX);
    }
    SignedSubmission submission =
        SignedSubmission.sign(drafts, keys.stream().map(ClientKey::signer).toList());
    for (SignedRequest request : submission.requests()) {
      if (request.sizeBytes() > Limits.REQUEST_BYTES_MAX) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT,
                "request of %d bytes, at most %d",
                request.sizeBytes(),
                Limits.REQUEST_BYTES_MAX));
      }
    }
    int max = drafts.size() == 1 ? Limits.REQUEST_BYTES_MAX : Limits.BATCH_BYTES_MAX;
    if (submission.sizeBytes() > max) {
      throw new IllegalArgumentException(
          "submission of " + submission.sizeBytes() + " bytes, at most " + max);
    }
    return submission;
  }

  VerifiedBatch append(SignedSubmission submission) throws TallyException {
    return await(appendAsync(submission), submission);
  }

  CompletableFuture<VerifiedBatch> appendAsync(SignedSubmission submission)
      throws ServiceUnavailableException {
    return send(submission, false).receipted();
  }

  Promise appendDeferred(SignedSubmission submission) throws TallyException {
    return await(appendDeferredAsync(submission), submission);
  }

  CompletableFuture<Promise> appendDeferredAsync(SignedSubmission submission)
      throws ServiceUnavailableException {
    return send(submission, true).promised();
  }

  private PendingAppend send(SignedSubmission submission, boolean deferred)
      throws ServiceUnavailableException {
    PendingAppend pending = new PendingAppend(checker, submission, deferred, workers);
    AppendRequest.Mode mode = deferred ? AppendRequest.Mode.DEFERRED : AppendRequest.Mode.RECEIPT;
    pipe.submit(submission.toProto(mode), submission.sizeBytes(), pending);
    return pending;
  }

  /// Ends in bounded time: the pipe gives every submission an end.
  private static <T> T await(CompletableFuture<T> answer, SignedSubmission submission)
      throws TallyException {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TallyException failure) {
        throw failure;
      }
      throw new AssertionError("an append fails with a TallyException", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailableException("interrupted while waiting for a receipt", true, e)
          .withPending(PendingRequest.of(submission).encode());
    }
  }
}

package io.tallystick.client;

import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.client.wire.AppendPipe;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestDraft;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

/// Signs, sends, and checks what comes back. A waiting caller checks on its own thread, an
/// asynchronous one's answer is checked on `workers`. Thread-safe.
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
    int max = drafts.size() == 1 ? Limits.REQUEST_BYTES_MAX : Limits.BATCH_BYTES_MAX;
    if (submission.sizeBytes() > max) {
      throw new IllegalArgumentException(
          "submission of " + submission.sizeBytes() + " bytes, at most " + max);
    }
    return submission;
  }

  VerifiedBatch append(SignedSubmission submission) throws TallyException {
    return checker.verify(submission, await(send(submission, AppendRequest.Mode.RECEIPT)));
  }

  CompletableFuture<VerifiedBatch> appendAsync(SignedSubmission submission)
      throws ServiceUnavailableException {
    return send(submission, AppendRequest.Mode.RECEIPT)
        .thenApplyAsync(
            answer -> {
              try {
                return checker.verify(submission, answer);
              } catch (TallyException e) {
                throw new CompletionException(e);
              }
            },
            workers);
  }

  Promise appendDeferred(SignedSubmission submission) throws TallyException {
    return checker.promise(submission, await(send(submission, AppendRequest.Mode.DEFERRED)));
  }

  CompletableFuture<Promise> appendDeferredAsync(SignedSubmission submission)
      throws ServiceUnavailableException {
    return send(submission, AppendRequest.Mode.DEFERRED)
        .thenApplyAsync(
            answer -> {
              try {
                return checker.promise(submission, answer);
              } catch (TallyException e) {
                throw new CompletionException(e);
              }
            },
            workers);
  }

  private CompletableFuture<AppendResponse> send(
      SignedSubmission submission, AppendRequest.Mode mode) throws ServiceUnavailableException {
    return pipe.submit(submission.toProto(mode), submission.sizeBytes());
  }

  /// Ends in bounded time: the pipe gives every submission an end.
  private static AppendResponse await(CompletableFuture<AppendResponse> answer)
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
      throw new ServiceUnavailableException("interrupted while waiting for a receipt", true, e);
    }
  }
}

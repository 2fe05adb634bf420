package io.tallystick.proxy.execute;

import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestTimes;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.master.LedgerRegistry;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.AppendTicket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Verifies submissions and forwards them. What is refused here never reaches a sequencer and
/// leaves no trace; what passes is judged again at commit, where replay, keys and roles are
/// decided.
///
/// The queue before the threads is bounded in bytes. Thread-safe.
public final class ExecutePhase implements AutoCloseable {
  /// What may wait for a thread at once, over all connections; eight of them at their own limit.
  public static final long QUEUED_BYTES_MAX = 64L << 20;

  /// What a small submission counts at least, so that the queue is bounded in entries too.
  static final int QUEUED_BYTES_MIN = 1 << 10;

  private static final long CLOSE_SECONDS_MAX = 5;

  private final LedgerRegistry registry;
  private final SubmissionVerifier verifier;
  private final ExecutorService threads;
  private final long queuedBytesMax;
  private final AtomicLong queuedBytes = new AtomicLong();

  public ExecutePhase(LedgerRegistry registry, SubmissionVerifier verifier) {
    this(registry, verifier, QUEUED_BYTES_MAX);
  }

  ExecutePhase(LedgerRegistry registry, SubmissionVerifier verifier, long queuedBytesMax) {
    this.registry = registry;
    this.verifier = verifier;
    this.queuedBytesMax = queuedBytesMax;
    int count = Runtime.getRuntime().availableProcessors();
    this.threads =
        Executors.newFixedThreadPool(
            count, Thread.ofPlatform().name("execute-", 0).daemon().factory());
  }

  /// Fails with {@link RequestRejectedException} when the submission is refused here; refusals of
  /// the sequencer arrive through the ticket. Never blocks.
  public CompletableFuture<AppendTicket> submit(Submission submission) {
    long cost = Math.max(submission.sizeBytes(), QUEUED_BYTES_MIN);
    if (queuedBytes.addAndGet(cost) > queuedBytesMax) {
      queuedBytes.addAndGet(-cost);
      return CompletableFuture.failedFuture(
          new RequestRejectedException(
                  RejectionCode.RATE_LIMITED,
                  queuedBytesMax + " bytes are waiting to be verified; try again later")
              .withLimit(queuedBytesMax));
    }
    CompletableFuture<AppendTicket> result = new CompletableFuture<>();
    threads.execute(() -> {
      queuedBytes.addAndGet(-cost);
      execute(submission, result);
    });
    return result;
  }

  // Whatever goes wrong must reach the one who waits: an uncaught error would leave him waiting.
  private void execute(Submission submission, CompletableFuture<AppendTicket> result) {
    try {
      VerifiedSubmission verified = verify(submission);
      result.complete(registry.nodeOf(submission.strand().ledger()).append(verified));
    } catch (Throwable e) {
      result.completeExceptionally(e);
    }
  }

  private VerifiedSubmission verify(Submission submission) throws RequestRejectedException {
    MemberKeys keys = new MemberKeys(registry, submission.strand().ledger());
    VerifiedSubmission verified;
    try {
      verified =
          verifier.verify(
              submission.strand(), submission.requests(), submission.attestation(), keys);
    } catch (MemberKeys.RefusedLookupException e) {
      throw e.refusal();
    }
    checkTimes(verified);
    return verified;
  }

  /// A first look: spares the sequencer what is too late or too early already. The ledger's own
  /// window is known there.
  private void checkTimes(VerifiedSubmission submission) throws RequestRejectedException {
    long nowMs = registry.timeMs();
    for (int i = 0; i < submission.headers().size(); i++) {
      RequestHeader header = submission.headers().get(i);
      try {
        RequestTimes.check(header, nowMs, Limits.GOVERNANCE_WINDOW_MS_MAX);
      } catch (RequestRejectedException e) {
        throw submission.batch() ? e.atIndex(i) : e;
      }
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}

package io.tallystick.server.shard;

import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.AppendTicket;
import io.tallystick.server.AppendTicket.Receipted;
import io.tallystick.server.sequencer.Input;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/// A submission on its way, and the room it holds in the shard's admission.
final class PendingAppend implements Input.Append {
  private static final int OVERHEAD_BYTES = 512;

  private final VerifiedSubmission submission;
  private final long sizeBytes;
  private final LongConsumer release;
  private final AppendTicket ticket =
      new AppendTicket(new CompletableFuture<>(), new CompletableFuture<>());

  /// @param release given the admitted bytes back, once, when the ticket is answered
  PendingAppend(VerifiedSubmission submission, LongConsumer release) {
    this.submission = submission;
    this.sizeBytes = sizeOf(submission);
    this.release = release;
  }

  static long sizeOf(VerifiedSubmission submission) {
    long bytes = (long) submission.attestationBytes().size() + OVERHEAD_BYTES;
    for (var request : submission.requests()) {
      bytes += request.sizeBytes();
    }
    return bytes;
  }

  AppendTicket ticket() {
    return ticket;
  }

  @Override
  public VerifiedSubmission submission() {
    return submission;
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public void refuse(RequestRejectedException refusal) {
    fail(refusal);
  }

  @Override
  public void fail(Throwable cause) {
    ticket.committed().completeExceptionally(cause);
    if (ticket.receipted().completeExceptionally(cause)) {
      release.accept(sizeBytes);
    }
  }

  /// Its block is sealed.
  void complete(Receipted receipted) {
    ticket.committed().complete(receipted.committed());
    if (ticket.receipted().complete(receipted)) {
      release.accept(sizeBytes);
    }
  }
}

package io.tallystick.client;

import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Deferred;
import io.tallystick.api.v1.Receipted;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.RangeReceipt;
import java.util.Optional;

/// Turns the answer to an append into evidence or an alarm. Nothing of the answer but jsn and time
/// is used: the leaves are rebuilt from our own request, so a receipt can only fit what we signed.
/// Costs about two hashes per journal, and a signature per block. Thread-safe.
final class ReceiptChecker {
  private final TrustedLog log;

  ReceiptChecker(TrustedLog log) {
    this.log = log;
  }

  VerifiedBatch verify(SignedSubmission submission, AppendResponse response) throws TallyException {
    try {
      if (!response.hasReceipted()) {
        throw new ProofRejectedException(
            Reason.MISSING, "answer without a receipt: " + response.getOutcomeCase());
      }
      return verify(submission, response.getReceipted());
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  private VerifiedBatch verify(SignedSubmission submission, Receipted answer)
      throws ProofRejectedException, TallyException {
    long timeMs = answer.getTimeMs();
    checkCount(submission, answer.getCount());
    checkTime(submission, timeMs);
    checkFirst(answer.getFirstJsn());
    RangeReceipt receipt = decode(Bytes.wrap(answer.getRangeReceipt().toByteArray()));
    RangeProof proof = receipt.proof();
    if (proof.first() != answer.getFirstJsn() || proof.count() != submission.count()) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          "receipt of %d journals from %d, answered %d from %d"
              .formatted(proof.count(), proof.first(), submission.count(), answer.getFirstJsn()));
    }
    SignedHead head =
        receipt.verifyHashes(
            submission.leaves().hashes(proof.first(), timeMs),
            submission.strand(),
            log.trust().keys(),
            log.signatures());
    log.join(head, Optional.of(proof));
    return new VerifiedBatch(
        submission.leaves(), proof.first(), timeMs, receipt, head, answer.getRepeated());
  }

  /// A deferred answer is believed by nobody; only what could never come true is refused.
  Promise promise(SignedSubmission submission, AppendResponse response) throws TallyException {
    try {
      if (!response.hasDeferred()) {
        throw new ProofRejectedException(
            Reason.MISSING, "answer without a promise: " + response.getOutcomeCase());
      }
      Deferred answer = response.getDeferred();
      checkCount(submission, answer.getCount());
      checkTime(submission, answer.getTimeMs());
      checkFirst(answer.getFirstJsn());
      return new Promise(new Jsn(answer.getFirstJsn()), submission.count(), answer.getTimeMs());
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  private static RangeReceipt decode(Bytes encoded) throws ProofRejectedException {
    try {
      return RangeReceipt.decode(encoded);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "range receipt: " + e.getMessage(), e);
    }
  }

  private static void checkFirst(long jsn) throws ProofRejectedException {
    if (jsn < 0 || jsn >= TreeGeometry.SIZE_MAX) {
      throw new ProofRejectedException(
          Reason.INDEX_OUT_OF_RANGE, "jsn " + Long.toUnsignedString(jsn));
    }
  }

  private static void checkCount(SignedSubmission submission, int count)
      throws ProofRejectedException {
    if (count != submission.count()) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, count + " journals answered, " + submission.count() + " sent");
    }
  }

  /// The sequencer's own rule: not more than the allowed skew before the client's time, not after
  /// its expiry. A service that breaks it back-dates or delays.
  private static void checkTime(SignedSubmission submission, long timeMs)
      throws ProofRejectedException {
    long earliest = submission.clientTimeMs() - Limits.CLOCK_SKEW_MS_MAX;
    if (timeMs < earliest || timeMs > submission.expiresMs()) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          "time %d of the commit is outside the request's %d to %d"
              .formatted(timeMs, earliest, submission.expiresMs()));
    }
  }
}

package io.tallystick.client;

import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Deferred;
import io.tallystick.api.v1.Receipted;
import io.tallystick.client.failure.HeadNotWitnessedException;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.internal.append.RotationLeaf;
import io.tallystick.client.internal.append.RunEvidence;
import io.tallystick.client.internal.append.SignedSubmission;
import io.tallystick.client.internal.append.SubmittedLeaves;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.AppendReply.Answered;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.RangeReceipt;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Turns the answer to an append into evidence or an alarm. Nothing of the answer but jsn, time and
/// the mark of a delegated key is used: the leaves are rebuilt from our own request, so a receipt
/// can only fit what we signed. Costs about two hashes per journal, and a signature per block;
/// answers that share a receipt are checked together. Thread-safe.
final class ReceiptChecker {
  private final TrustedLog log;
  private final RotationLeaf rotations;

  ReceiptChecker(TrustedLog log, LedgerCalls calls) {
    this.log = log;
    this.rotations = new RotationLeaf(calls, log);
  }

  /// Checks answers that share the receipt of the first, and completes the calls that wait for
  /// them.
  ///
  /// @param run at least one, all sent through {@link Appender}s of this client
  static void settle(List<Answered> run) {
    List<PendingAppend> pending = new ArrayList<>(run.size());
    run.forEach(answered -> pending.add((PendingAppend) answered.reply()));
    try {
      pending.getFirst().checker().settle(pending, run);
    } catch (TallyException e) {
      TallyException failure = unproven(e);
      pending.forEach(each -> each.settleAsFailed(failure));
    } catch (RuntimeException | Error e) {
      // The calls that wait must fail, too.
      TallyException failure =
          new ServiceUnavailableException("an answer could not be checked", true, e);
      pending.forEach(each -> each.settleAsFailed(failure));
      throw e;
    }
  }

  /// The service said that it has committed. If what would prove it could not be read, that is no
  /// refusal of the append, and no word that it never happened.
  private static TallyException unproven(TallyException e) {
    return e instanceof ServiceUnavailableException || e instanceof RequestRefusedException
        ? new ServiceUnavailableException(
            "the answer to an append could not be checked: " + e.getMessage(), true, e)
        : e;
  }

  private void settle(List<PendingAppend> pending, List<Answered> run) throws TallyException {
    try {
      if (pending.getFirst().deferred()) {
        AppendResponse response = run.getFirst().response();
        pending.getFirst().promised().complete(promise(pending.getFirst(), response));
        return;
      }
      List<VerifiedBatch> verified = verify(pending, run);
      for (int i = 0; i < verified.size(); i++) {
        pending.get(i).receipted().complete(verified.get(i));
      }
    } catch (HeadNotWitnessedException e) {
      // All else was verified, so where the journals stand is known.
      for (int i = 0; i < pending.size(); i++) {
        long jsn = run.get(i).response().getReceipted().getFirstJsn();
        pending.get(i).settleAsFailed(e.committedAt(new Jsn(jsn)));
      }
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  private List<VerifiedBatch> verify(List<PendingAppend> pending, List<Answered> run)
      throws ProofRejectedException, TallyException {
    List<Receipted> answers = new ArrayList<>(run.size());
    long jsn = -1;
    for (int i = 0; i < run.size(); i++) {
      Receipted answer = receipted(pending.get(i), run.get(i).response());
      if (jsn >= 0 && answer.getFirstJsn() != jsn) {
        throw new ProofRejectedException(
            Reason.WRONG_JSN,
            String.format(
                Locale.ROOT,
                "journal %d shares a receipt with one before %d",
                answer.getFirstJsn(),
                jsn));
      }
      jsn = answer.getFirstJsn() + answer.getCount();
      answers.add(answer);
    }
    List<SubmittedLeaves> leaves = leaves(pending, answers);
    RunEvidence evidence = evidence(leaves, answers, jsn);
    List<VerifiedBatch> verified = new ArrayList<>(run.size());
    for (int i = 0; i < run.size(); i++) {
      Receipted answer = answers.get(i);
      verified.add(
          new VerifiedBatch(
              leaves.get(i),
              answer.getFirstJsn(),
              answer.getTimeMs(),
              evidence,
              answer.getRepeated()));
    }
    return verified;
  }

  private List<SubmittedLeaves> leaves(List<PendingAppend> pending, List<Receipted> answers)
      throws ProofRejectedException, TallyException {
    List<SubmittedLeaves> all = new ArrayList<>(answers.size());
    for (int i = 0; i < answers.size(); i++) {
      SignedSubmission submission = pending.get(i).submission();
      Jsn jsn = new Jsn(answers.get(i).getFirstJsn());
      SubmittedLeaves leaves =
          submission.rotation().isEmpty()
              ? submission.leaves()
              : rotations.attested(submission, submission.rotation().get(), jsn);
      all.add(leaves.marked(answers.get(i).getDelegated()));
    }
    return all;
  }

  /// The answer to one submission, as far as it can be judged by itself.
  private Receipted receipted(PendingAppend pending, AppendResponse response)
      throws ProofRejectedException {
    if (!response.hasReceipted() || pending.deferred()) {
      throw new ProofRejectedException(
          Reason.MISSING, "answer without a receipt: " + response.getOutcomeCase());
    }
    if (!pending.submission().strand().equals(log.trust().strand())) {
      throw new ProofRejectedException(
          Reason.WRONG_LEDGER,
          "a receipt shared by " + pending.submission().strand() + " and " + log.trust().strand());
    }
    Receipted answer = response.getReceipted();
    checkCount(pending.submission(), answer.getCount());
    checkTime(pending.submission(), answer.getTimeMs());
    checkFirst(answer.getFirstJsn());
    return answer;
  }

  /// Verifies the shared receipt over the leaves of all.
  ///
  /// @param endJsn one past the last journal
  private RunEvidence evidence(List<SubmittedLeaves> leaves, List<Receipted> answers, long endJsn)
      throws ProofRejectedException, TallyException {
    Receipted first = answers.getFirst();
    RangeReceipt receipt = decode(Bytes.wrap(first.getRangeReceipt().toByteArray()));
    RangeProof proof = receipt.proof();
    if (proof.first() != first.getFirstJsn() || proof.first() + proof.count() != endJsn) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "receipt of %d journals from %d, answered are %d to %d",
              proof.count(),
              proof.first(),
              first.getFirstJsn(),
              endJsn - 1));
    }
    List<Digest> hashes = new ArrayList<>(proof.count());
    for (int i = 0; i < answers.size(); i++) {
      Receipted answer = answers.get(i);
      hashes.addAll(leaves.get(i).hashes(answer.getFirstJsn(), answer.getTimeMs()));
    }
    SignedHead head =
        log.judge(
            keys -> receipt.verifyHashes(hashes, log.trust().strand(), keys, log.signatures()));
    log.join(head, Optional.of(proof));
    return new RunEvidence(receipt, hashes, head);
  }

  /// A deferred answer is believed by nobody; only what could never come true is refused.
  private static Promise promise(PendingAppend pending, AppendResponse response)
      throws ProofRejectedException {
    if (!response.hasDeferred()) {
      throw new ProofRejectedException(
          Reason.MISSING, "answer without a promise: " + response.getOutcomeCase());
    }
    SignedSubmission submission = pending.submission();
    Deferred answer = response.getDeferred();
    checkCount(submission, answer.getCount());
    checkTime(submission, answer.getTimeMs());
    checkFirst(answer.getFirstJsn());
    return new Promise(
        new Jsn(answer.getFirstJsn()),
        submission.count(),
        answer.getTimeMs(),
        answer.getDelegated());
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
          String.format(
              Locale.ROOT,
              "time %s of the commit is outside the request's %s to %s",
              Printable.time(timeMs),
              Printable.time(earliest),
              Printable.time(submission.expiresMs())));
    }
  }
}

package io.tallystick.client.internal.read;

import io.tallystick.api.v1.JournalAnswer;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.ListJournalsResponse;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.Problems;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Body;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalFilter;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/// Reads journals back: each leaf by inclusion under a trusted head, its signatures, and its body
/// and operations by the header's commitments. Thread-safe.
public final class JournalReader {
  private final LedgerCalls calls;
  private final LedgerReader reader;
  private final TrustedLog log;
  private final SignerCheck signers;

  public JournalReader(LedgerCalls calls, LedgerReader reader, TrustedLog log) {
    this.calls = calls;
    this.reader = reader;
    this.log = log;
    this.signers = new SignerCheck(log);
  }

  /// An answer about one journal, of which nothing is verified yet.
  ///
  /// @param head trusted; its tree is the one the answer must prove the journal in
  record Answer(Jsn jsn, JournalAnswer answer, SignedHead head) {}

  Answer fetch(Jsn jsn) throws TallyException {
    SignedHead head = reader.reaching(jsn);
    JournalEntry entry = reader.covered(() -> calls.journal(jsn, head.size()));
    return new Answer(jsn, JournalAnswer.newBuilder().setJournal(entry).build(), head);
  }

  /// One answer for each, in their order, all in one tree.
  List<Answer> fetch(List<Jsn> jsns) throws TallyException {
    SignedHead head = reader.reaching(Collections.max(jsns));
    List<Answer> answers = new ArrayList<>(jsns.size());
    while (answers.size() < jsns.size()) {
      List<Jsn> left = jsns.subList(answers.size(), jsns.size());
      for (JournalAnswer answer : reader.covered(() -> calls.journals(left, head.size()))) {
        answers.add(new Answer(jsns.get(answers.size()), answer, head));
      }
    }
    return answers;
  }

  /// @param keys the members at that jsn, whose signatures count
  LedgerJournal verify(Answer answer, KeyLookup keys) throws TallyException {
    try {
      return checked(answer, keys);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  /// The same by some of the members; empty if a signer is none of them, which is no fault yet.
  Optional<LedgerJournal> verifyAmong(Answer answer, KeyLookup some) throws TallyException {
    try {
      return Optional.of(checked(answer, some));
    } catch (ProofRejectedException e) {
      if (e.reason() == Reason.NOT_A_MEMBER) {
        return Optional.empty();
      }
      throw log.refused(e);
    }
  }

  private LedgerJournal checked(Answer answer, KeyLookup keys)
      throws ProofRejectedException, TallyException {
    return switch (answer.answer().getOutcomeCase()) {
      case JOURNAL -> checked(answer.jsn(), answer.answer().getJournal(), answer.head(), keys);
      case PROBLEM -> throw Problems.refused(answer.answer().getProblem());
      case OUTCOME_NOT_SET ->
          throw new ProofRejectedException(Reason.MISSING, "no answer about " + answer.jsn());
    };
  }

  private LedgerJournal checked(Jsn jsn, JournalEntry entry, SignedHead head, KeyLookup keys)
      throws ProofRejectedException, TallyException {
    try {
      Bytes encoded = WireBytes.bytes(entry.getLeaf());
      Leaf leaf = leaf(encoded, jsn);
      InclusionProof proof = InclusionProofBytes.decode(WireBytes.bytes(entry.getInclusion()));
      if (proof.index() != jsn.value() || proof.size() != head.size().value()) {
        throw new ProofRejectedException(
            Reason.WRONG_JSN,
            String.format(
                Locale.ROOT,
                "proof for %d of %d, want %s of %s",
                proof.index(),
                proof.size(),
                jsn,
                head.size()));
      }
      proof.verify(TreeHasher.leafHash(encoded), head.root());
      return journal(entry, leaf, signers.verify(leaf, entry, keys));
    } catch (MalformedException e) {
      throw reader.malformed("journal " + jsn, e);
    }
  }

  /// Signatures are not fetched; everything else is verified as in a journal read alone.
  public JournalPage list(Jsn from, int limit) throws TallyException {
    reader.checkAge();
    Optional<SignedHead> before = log.head();
    ListJournalsResponse answer = reader.covered(() -> calls.journals(from, limit));
    if (!answer.hasNextFromJsn()) {
      checkEnd(from.value() + answer.getJournalsCount(), before);
    }
    if (answer.getJournalsCount() == 0) {
      return new JournalPage(List.of(), Optional.empty());
    }
    try {
      List<LedgerJournal> journals = new ArrayList<>(answer.getJournalsCount());
      List<Digest> hashes = new ArrayList<>(answer.getJournalsCount());
      for (JournalEntry entry : answer.getJournalsList()) {
        Bytes encoded = WireBytes.bytes(entry.getLeaf());
        Leaf leaf = leaf(encoded, new Jsn(from.value() + journals.size()));
        hashes.add(TreeHasher.leafHash(encoded));
        journals.add(journal(entry, leaf, List.of()));
      }
      reader.verifyRun(from, hashes);
      return new JournalPage(journals, next(answer, from.value() + journals.size()));
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("journals from " + from, e);
    }
  }

  /// The answer to one call of a scan, of which only where it looked is verified yet.
  ///
  /// @param head trusted; its tree is the one that was looked at
  record Scanned(List<Answer> answers, SignedHead head, Jsn scannedTo, Optional<Jsn> next) {}

  Scanned scan(JournalFilter filter, Jsn from, int limit) throws TallyException {
    SignedHead head = reader.newest();
    ListJournalsResponse answer =
        reader.covered(() -> calls.scan(filter, from, limit, head.size()));
    try {
      ScanCheck.check(answer, filter, from, head.size());
      List<Answer> answers = new ArrayList<>();
      for (JournalEntry entry : answer.getJournalsList()) {
        JournalAnswer found = JournalAnswer.newBuilder().setJournal(entry).build();
        answers.add(new Answer(new Jsn(entry.getJsn()), found, head));
      }
      return new Scanned(
          answers, head, new Jsn(answer.getScannedTo()), next(answer, answer.getScannedTo()));
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  /// A log does not end before a head that was signed.
  ///
  /// @param before a trusted head, of the time before the page was asked for
  private void checkEnd(long end, Optional<SignedHead> before) throws TallyException {
    if (before.isPresent() && end < before.get().size().value()) {
      try {
        var unused = reader.newest(); // two signed heads are better evidence
      } catch (VerificationException e) {
        throw e;
      } catch (TallyException unshown) {
        // Then the page alone is.
      }
      throw log.refused(
          new ProofRejectedException(
              Reason.MISSING,
              String.format(
                  Locale.ROOT,
                  "the log is said to end at %d, a head of %s leaves was signed before",
                  end,
                  before.get().size())));
    }
  }

  private static Optional<Jsn> next(ListJournalsResponse answer, long end) {
    return answer.hasNextFromJsn() ? Optional.of(new Jsn(end)) : Optional.empty();
  }

  private static Leaf leaf(Bytes encoded, Jsn want)
      throws MalformedException, ProofRejectedException {
    Leaf leaf = Leaf.decode(encoded);
    if (!leaf.jsn().equals(want)) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN, "leaf says jsn " + leaf.jsn() + ", asked for " + want);
    }
    return leaf;
  }

  private LedgerJournal journal(JournalEntry entry, Leaf leaf, List<Digest> kids)
      throws MalformedException, ProofRejectedException {
    return switch (leaf) {
      case GenesisLeaf unused -> withoutRequest(leaf, kids);
      case SealLeaf unused -> withoutRequest(leaf, kids);
      case JournalLeaf journal -> {
        RequestHeader header = header(journal);
        BodyState state = bodyState(entry);
        Optional<Body> body =
            state == BodyState.PRESENT ? Optional.of(body(entry, header)) : Optional.empty();
        List<Op> ops = ops(entry, header);
        yield new LedgerJournal(leaf, Optional.of(header), state, body, ops, kids);
      }
    };
  }

  private static LedgerJournal withoutRequest(Leaf leaf, List<Digest> kids) {
    return new LedgerJournal(
        leaf, Optional.empty(), BodyState.NONE, Optional.empty(), List.of(), kids);
  }

  private RequestHeader header(JournalLeaf leaf) throws MalformedException, ProofRejectedException {
    RequestHeader header = RequestHeader.decode(leaf.header());
    if (!header.strand().equals(log.trust().strand())) {
      throw new ProofRejectedException(
          Reason.WRONG_LEDGER, header.strand() + ", want " + log.trust().strand());
    }
    return header;
  }

  /// The operations that the header counts and commits to.
  private static List<Op> ops(JournalEntry entry, RequestHeader header)
      throws MalformedException, ProofRejectedException {
    Ops ops = Ops.decode(WireBytes.bytes(entry.getOps()));
    if (ops.size() != header.opsCount() || !Objects.equals(ops.root(), header.opsRoot())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          String.format(
              Locale.ROOT,
              "%d operations with root %s, the header says %d with %s",
              ops.size(),
              ops.root(),
              header.opsCount(),
              header.opsRoot()));
    }
    return ops.values();
  }

  private static BodyState bodyState(JournalEntry entry) throws ProofRejectedException {
    return switch (entry.getBodyState()) {
      case BODY_PRESENT -> BodyState.PRESENT;
      case BODY_ERASED -> BodyState.ERASED;
      case BODY_DAMAGED -> BodyState.DAMAGED;
      case BODY_NONE, BODY_STATE_UNSPECIFIED, UNRECOGNIZED ->
          throw new ProofRejectedException(
              Reason.MISSING, "body of a journal is " + entry.getBodyState());
    };
  }

  private static Body body(JournalEntry entry, RequestHeader header)
      throws MalformedException, ProofRejectedException {
    Bytes salt = WireBytes.bytes(entry.getSalt());
    Bytes encoded = WireBytes.bytes(entry.getBody());
    if (salt.size() != Limits.SALT_BYTES || encoded.size() != header.bodySizeBytes()) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          String.format(
              Locale.ROOT,
              "salt of %d bytes and body of %d, the header says %d",
              salt.size(),
              encoded.size(),
              header.bodySizeBytes()));
    }
    Digest commit = Commitments.body(salt, encoded);
    if (!commit.equals(header.bodyCommit())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          "body commits to " + commit + ", the header says " + header.bodyCommit());
    }
    return Body.decode(encoded);
  }
}

package io.tallystick.client;

import io.tallystick.api.v1.Clue;
import io.tallystick.api.v1.Lineage;
import io.tallystick.api.v1.ListLineageRequest;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.LedgerCalls;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Commitments;
import io.tallystick.lineage.ClueProof;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.LineageFile;
import io.tallystick.lineage.LineageProof;
import io.tallystick.lineage.VerifiedLineage;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.TreeSize;
import java.util.List;
import java.util.Optional;

/// Reads what journals name a clue, and believes it only as far as the proofs go. Thread-safe.
final class LineageReader {
  private static final int PAGE_JOURNALS = 10_000;

  /// A page's head may have gone out of the service's memory when the next is asked for.
  private static final int ATTEMPTS_MAX = 3;

  private final LedgerCalls calls;
  private final LedgerReader reader;
  private final TrustedLog log;

  LineageReader(LedgerCalls calls, LedgerReader reader, TrustedLog log) {
    this.calls = calls;
    this.reader = reader;
    this.log = log;
  }

  private Digest id(String clue) {
    return Commitments.clueId(log.trust().ledger(), clue);
  }

  /// What is proven of a clue, and under which head.
  private record Proven(SignedHead head, ClueState state, ClueProof proof) {}

  ClueState state(String clue) throws TallyException {
    return proven(id(clue)).state();
  }

  /// The same as a file, complete in itself but for the service's keys.
  LineageFile stateFile(String clue) throws TallyException {
    Proven proven = proven(id(clue));
    return LineageFile.of(id(clue), proven.head(), proven.proof());
  }

  private Proven proven(Digest clueId) throws TallyException {
    Optional<SignedHead> before = log.head();
    Clue answer = calls.clue(clueId);
    return proven(answer, clueId, reader.head(answer.getHead(), before));
  }

  private Proven proven(Clue answer, Digest clueId, SignedHead head) throws TallyException {
    try {
      ClueProof proof = ClueProof.decode(WireBytes.bytes(answer.getProof()));
      return new Proven(head, proof.verify(clueId, head), proof);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("clue proof", e);
    }
  }

  /// All journals of a clue, or those among the log's first leaves.
  ///
  /// @param asOf absent: all
  ClueLineage lineage(String clue, Optional<TreeSize> asOf) throws TallyException {
    for (int attempt = 1; ; attempt++) {
      try {
        return lineageOnce(clue, asOf);
      } catch (RequestRefusedException refusal) {
        if (refusal.code().equals(RejectionCode.CLUE_DELETED.wire())) {
          checkDeleted(id(clue), refusal);
          throw refusal;
        }
        if (!refusal.code().equals(RejectionCode.EXPIRED.wire()) || attempt == ATTEMPTS_MAX) {
          throw refusal;
        }
      }
    }
  }

  private ClueLineage lineageOnce(String clue, Optional<TreeSize> asOf) throws TallyException {
    Digest clueId = id(clue);
    Optional<SignedHead> before = log.head();
    Lineage first = calls.lineage(clueId, page(asOf));
    SignedHead head = reader.head(first.getClue().getHead(), before);
    TreeSize size = asOf.orElse(head.size());
    if (size.compareTo(head.size()) > 0) {
      throw log.refused(
          new ProofRejectedException(
              Reason.SIZE_OUT_OF_RANGE, "size " + size + ", shown up to " + head.size()));
    }
    if (first.getProof().isEmpty()) {
      ClueState state = proven(first.getClue(), clueId, head).state();
      if (state instanceof ClueState.Used used) {
        throw log.refused(
            new ProofRejectedException(
                Reason.MISSING, used.count() + " journals name the clue, none is shown"));
      }
      return new ClueLineage(clue, head, state, size, List.of());
    }
    VerifiedLineage shown = verified(first, clueId, head);
    try {
      while (!tellsAll(shown, size)) {
        Lineage next =
            calls.lineage(
                clueId,
                page(asOf).setIndex(shown.entries().size()).setHeadSize(head.size().value()));
        shown = shown.joined(verified(next, clueId, head));
      }
      List<LineageEntry> entries = shown.completeAt(size);
      return new ClueLineage(clue, head, shown.state(), size, entries);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  private static ListLineageRequest.Builder page(Optional<TreeSize> asOf) {
    ListLineageRequest.Builder page = ListLineageRequest.newBuilder().setLimit(PAGE_JOURNALS);
    asOf.ifPresent(size -> page.setAsOfSize(size.value()));
    return page;
  }

  /// Whether a run from the clue's first journal shows the last one below `size`.
  private static boolean tellsAll(VerifiedLineage shown, TreeSize size) {
    return shown.isComplete() || shown.entries().getLast().jsn() >= size.value();
  }

  private VerifiedLineage verified(Lineage answer, Digest clueId, SignedHead head)
      throws TallyException {
    try {
      return LineageProof.decode(WireBytes.bytes(answer.getProof())).verify(clueId, head);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("lineage proof", e);
    }
  }

  /// A service might call a clue deleted to hide its journals.
  private void checkDeleted(Digest clueId, RequestRefusedException refusal) throws TallyException {
    ClueState state = proven(clueId).state();
    boolean said =
        state instanceof ClueState.Used used
            && used.isDeleted()
            && (refusal.jsn().isEmpty() || refusal.jsn().getAsLong() == used.value().deletedJsn());
    if (!said) {
      throw log.refused(
          new ProofRejectedException(
              Reason.MISSING,
              "the service calls the clue deleted, which its trie does not say: "
                  + refusal.getMessage()));
    }
  }

  /// That a journal names a clue.
  LineageEntry membership(String clue, Jsn jsn) throws TallyException {
    return membershipProven(clue, jsn).entry();
  }

  /// @param file the evidence, complete in itself but for the service's keys
  record Membership(LineageEntry entry, LineageFile file) {}

  Membership membershipProven(String clue, Jsn jsn) throws TallyException {
    Digest clueId = id(clue);
    Optional<SignedHead> before = log.head();
    Lineage answer = calls.membership(clueId, jsn);
    SignedHead head = reader.head(answer.getClue().getHead(), before);
    VerifiedLineage shown = verified(answer, clueId, head);
    LineageEntry entry = shown.entries().getFirst();
    if (shown.entries().size() != 1 || entry.jsn() != jsn.value()) {
      throw log.refused(
          new ProofRejectedException(
              Reason.WRONG_JSN, "answer for jsn " + entry.jsn() + ", asked for " + jsn));
    }
    return new Membership(entry, file(answer, clueId, head));
  }

  /// A clue's whole lineage as one file.
  ///
  /// @throws IllegalArgumentException if it does not fit into one proof
  LineageFile lineageFile(String clue) throws TallyException {
    try {
      return lineageFileOnce(clue);
    } catch (RequestRefusedException refusal) {
      if (refusal.code().equals(RejectionCode.CLUE_DELETED.wire())) {
        checkDeleted(id(clue), refusal);
      }
      throw refusal;
    }
  }

  private LineageFile lineageFileOnce(String clue) throws TallyException {
    Digest clueId = id(clue);
    Optional<SignedHead> before = log.head();
    Lineage answer = calls.lineage(clueId, page(Optional.empty()));
    SignedHead head = reader.head(answer.getClue().getHead(), before);
    if (answer.getProof().isEmpty()) {
      return LineageFile.of(clueId, head, proven(answer.getClue(), clueId, head).proof());
    }
    VerifiedLineage shown = verified(answer, clueId, head);
    if (!shown.isComplete()) {
      throw new IllegalArgumentException(
          "the clue has %d journals, one file takes %d"
              .formatted(shown.state().count(), shown.entries().size()));
    }
    return file(answer, clueId, head);
  }

  private LineageFile file(Lineage answer, Digest clueId, SignedHead head) throws TallyException {
    try {
      return LineageFile.of(clueId, head, LineageProof.decode(WireBytes.bytes(answer.getProof())));
    } catch (MalformedException e) {
      throw reader.malformed("lineage proof", e);
    }
  }
}

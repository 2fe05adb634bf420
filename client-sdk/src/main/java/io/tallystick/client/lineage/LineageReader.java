package io.tallystick.client.lineage;

import io.tallystick.api.v1.Clue;
import io.tallystick.api.v1.Lineage;
import io.tallystick.api.v1.ListLineageRequest;
import io.tallystick.client.failure.LineageTooLongException;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.client.journal.VerifiedBlock;
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
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.TreeSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Reads what journals name a clue, and believes it only as far as the proofs go. Thread-safe.
public final class LineageReader {
  /// A page's head may have gone out of the service's memory when the next is asked for.
  private static final int ATTEMPTS_MAX = 3;

  private final LedgerCalls calls;
  private final LedgerReader reader;
  private final TrustedLog log;

  public LineageReader(LedgerCalls calls, LedgerReader reader, TrustedLog log) {
    this.calls = calls;
    this.reader = reader;
    this.log = log;
  }

  private Digest id(String clue) {
    return Commitments.clueId(log.trust().ledger(), clue);
  }

  /// The proven state of a clue, and the block under whose head it is.
  private record Proven(VerifiedBlock block, ClueState state, ClueProof proof) {
    SignedHead head() {
      return block.head();
    }
  }

  public ClueState state(String clue) throws TallyException {
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
    return proven(answer, clueId, reader.newest(answer.getHead(), before));
  }

  private Proven proven(Clue answer, Digest clueId, VerifiedBlock block) throws TallyException {
    try {
      ClueProof proof = ClueProof.decode(WireBytes.bytes(answer.getProof()));
      return new Proven(block, proof.verify(clueId, block.head()), proof);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("clue proof", e);
    }
  }

  /// The proven state of a clue and a run of its journals, under one head.
  ///
  /// @param run from the clue's first journal on; empty if no journal names it
  private record Shown(
      VerifiedBlock block, ClueProof proof, ClueState state, Optional<VerifiedLineage> run) {
    SignedHead head() {
      return block.head();
    }
  }

  /// All journals of a clue, or those among the log's first leaves.
  ///
  /// @param asOf absent: all
  public ClueLineage lineage(String clue, Optional<TreeSize> asOf, LineageLimits limits)
      throws TallyException {
    Shown shown = shown(clue, asOf, limits);
    TreeSize size = asOf.orElse(shown.head().size());
    if (shown.run().isEmpty()) {
      return new ClueLineage(clue, shown.block(), shown.state(), size, List.of());
    }
    try {
      List<LineageEntry> entries = shown.run().get().completeAt(size);
      return new ClueLineage(clue, shown.block(), shown.state(), size, entries);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  private Shown shown(String clue, Optional<TreeSize> asOf, LineageLimits limits)
      throws TallyException {
    for (int attempt = 1; ; attempt++) {
      try {
        return shownOnce(clue, asOf, limits);
      } catch (RequestRefusedException refusal) {
        checkIfDeleted(id(clue), asOf, refusal);
        if (!refusal.code().equals(RejectionCode.EXPIRED.wire()) || attempt == ATTEMPTS_MAX) {
          throw refusal;
        }
      }
    }
  }

  private Shown shownOnce(String clue, Optional<TreeSize> asOf, LineageLimits limits)
      throws TallyException {
    Digest clueId = id(clue);
    Optional<SignedHead> before = log.head();
    Lineage first = reader.covered(() -> calls.lineage(clueId, page(asOf, limits)));
    VerifiedBlock block = reader.newest(first.getClue().getHead(), before);
    SignedHead head = block.head();
    TreeSize size = asOf.orElse(head.size());
    if (size.compareTo(head.size()) > 0) {
      throw log.refused(
          new ProofRejectedException(
              Reason.SIZE_OUT_OF_RANGE, "size " + size + ", shown up to " + head.size()));
    }
    if (first.getProof().isEmpty()) {
      Proven unused = unused(first.getClue(), clueId, block);
      return new Shown(block, unused.proof(), unused.state(), Optional.empty());
    }
    LineageProof proof = decoded(first);
    VerifiedLineage run = verified(proof, clueId, head);
    LineageSum sum = new LineageSum(clue, limits);
    sum.add(run);
    while (!tellsAll(run, size)) {
      ListLineageRequest.Builder behind =
          page(asOf, limits).setIndex(run.end()).setHeadSize(head.size().value());
      Lineage further = reader.covered(() -> calls.lineage(clueId, behind));
      VerifiedLineage next = verified(decoded(further), clueId, head);
      checkFollowed(run, next);
      sum.add(next);
      run = next;
    }
    try {
      VerifiedLineage all = VerifiedLineage.join(sum.runs());
      return new Shown(block, proof.clue(), all.state(), Optional.of(all));
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  void checkFollowed(VerifiedLineage run, VerifiedLineage next) throws TallyException {
    try {
      run.checkFollowedBy(next);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  /// An answer that shows no journal of a clue, where that is only right if it has none.
  private Proven unused(Clue answer, Digest clueId, VerifiedBlock block) throws TallyException {
    Proven proven = proven(answer, clueId, block);
    if (proven.state() instanceof ClueState.Used used) {
      throw missing(used.count() + " journals name the clue, none is shown");
    }
    return proven;
  }

  VerificationException missing(String what) {
    return log.refused(new ProofRejectedException(Reason.MISSING, what));
  }

  private static ListLineageRequest.Builder page(Optional<TreeSize> asOf, LineageLimits limits) {
    ListLineageRequest.Builder page =
        ListLineageRequest.newBuilder().setLimit(limits.pageJournals());
    asOf.ifPresent(size -> page.setAsOfSize(size.value()));
    return page;
  }

  /// Whether a run reaches the clue's last journal below `size`, and shows that it is the last.
  private static boolean tellsAll(VerifiedLineage shown, TreeSize size) {
    return shown.reachesLast() || shown.entries().getLast().jsn() >= size.value();
  }

  private LineageProof decoded(Lineage answer) throws TallyException {
    if (answer.getProof().isEmpty()) {
      throw missing("journals of the clue that were asked for: the answer shows none");
    }
    try {
      return LineageProof.decode(WireBytes.bytes(answer.getProof()));
    } catch (MalformedException e) {
      throw reader.malformed("lineage proof", e);
    }
  }

  private VerifiedLineage verified(LineageProof proof, Digest clueId, SignedHead head)
      throws TallyException {
    try {
      return proof.verify(clueId, head);
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    }
  }

  /// A service might call a clue deleted to hide its journals.
  ///
  /// @param asOf of which the lineage was asked for: a clue deleted later was not deleted then
  private void checkIfDeleted(
      Digest clueId, Optional<TreeSize> asOf, RequestRefusedException refusal)
      throws TallyException {
    if (!refusal.code().equals(RejectionCode.CLUE_DELETED.wire())) {
      return;
    }
    ClueState state = proven(clueId).state();
    boolean said =
        state instanceof ClueState.Used used
            && used.isDeleted()
            && (refusal.jsn().isEmpty() || refusal.jsn().getAsLong() == used.value().deletedJsn())
            && (asOf.isEmpty() || used.value().deletedJsn() < asOf.get().value());
    if (!said) {
      throw missing(
          "the service calls the clue deleted, which its trie does not say: "
              + refusal.getMessage());
    }
  }

  /// Begins a walk: what is shown first, and that it is where the walk is to begin.
  public LineageWalk walk(String clue, LineageRange range) throws TallyException {
    Digest clueId = id(clue);
    try {
      Optional<SignedHead> before = log.head();
      Lineage first = calls.lineage(clueId, start(range));
      VerifiedBlock block = reader.newest(first.getClue().getHead(), before);
      if (first.getProof().isEmpty()) {
        ClueState state = proven(first.getClue(), clueId, block).state();
        LineageWalk walk = new LineageWalk(this, clueId, range, block, state, null);
        walk.checkNoneLeft();
        return walk;
      }
      VerifiedLineage shown = verified(decoded(first), clueId, block.head());
      LineageWalk walk = new LineageWalk(this, clueId, range, block, shown.state(), shown);
      walk.checkBegin(shown);
      return walk;
    } catch (RequestRefusedException refusal) {
      checkIfDeleted(clueId, Optional.empty(), refusal);
      throw refusal;
    }
  }

  private static ListLineageRequest.Builder start(LineageRange range) {
    ListLineageRequest.Builder page =
        ListLineageRequest.newBuilder()
            .setDescending(range.descending())
            .setLimit(range.pageJournals());
    Jsn from = range.from();
    return from == null ? page : page.setJsn(from.value());
  }

  /// A run of a clue's journals from an index on, proven under a head that an earlier one was.
  VerifiedLineage run(
      Digest clueId, SignedHead head, long index, boolean descending, int journalsMax)
      throws TallyException {
    ListLineageRequest.Builder which =
        ListLineageRequest.newBuilder()
            .setIndex(index)
            .setDescending(descending)
            .setLimit(journalsMax)
            .setHeadSize(head.size().value());
    Lineage answer = reader.covered(() -> calls.lineage(clueId, which));
    return verified(decoded(answer), clueId, head);
  }

  /// That a journal names a clue.
  public LineageEntry membership(String clue, Jsn jsn) throws TallyException {
    return membershipProven(clue, jsn).entry();
  }

  /// @param file the evidence, complete in itself but for the service's keys
  record Membership(LineageEntry entry, LineageFile file) {}

  Membership membershipProven(String clue, Jsn jsn) throws TallyException {
    Digest clueId = id(clue);
    Optional<SignedHead> before = log.head();
    Lineage answer = reader.covered(() -> calls.membership(clueId, jsn));
    SignedHead head = reader.newest(answer.getClue().getHead(), before).head();
    LineageProof proof = decoded(answer);
    VerifiedLineage shown = verified(proof, clueId, head);
    LineageEntry entry = shown.entries().getFirst();
    if (shown.entries().size() != 1 || entry.jsn() != jsn.value()) {
      throw log.refused(
          new ProofRejectedException(
              Reason.WRONG_JSN, "answer for jsn " + entry.jsn() + ", asked for " + jsn));
    }
    return new Membership(entry, LineageFile.of(clueId, head, proof));
  }

  /// Verifies a saved lineage and joins its head.
  public LineageFile.Verified verify(LineageFile file) throws TallyException {
    return reader.join(
        keys -> file.verify(log.trust().strand(), keys, log.signatures()),
        LineageFile.Verified::head);
  }

  /// A clue's whole lineage as one file, made of as many pages as the service gives it in: the
  /// proof of all journals is the clue proof and their leaves.
  public LineageFile lineageFile(String clue) throws TallyException {
    Digest clueId = id(clue);
    Shown shown = shown(clue, Optional.empty(), LineageLimits.FILE);
    if (shown.run().isEmpty()) {
      return LineageFile.of(clueId, shown.head(), shown.proof());
    }
    List<Bytes> leaves =
        shown.run().get().entries().stream().map(entry -> entry.leaf().encode()).toList();
    LineageProof whole = new LineageProof(shown.proof(), 0, List.of(), leaves);
    verified(whole, clueId, shown.head());
    return LineageFile.of(clueId, shown.head(), whole);
  }

  /// The same from a jsn on. Left of it the proof has the roots of the clue's tree alone; every
  /// page that begins there has these, and the last page none right of it.
  public LineageFile lineageFile(String clue, Jsn from) throws TallyException {
    Digest clueId = id(clue);
    Optional<SignedHead> before = log.head();
    LineageRange range = LineageRange.forwards().from(from).withPagesOf(LineageRange.PAGE_MAX);
    Lineage answer = calls.lineage(clueId, start(range));
    VerifiedBlock block = reader.newest(answer.getClue().getHead(), before);
    SignedHead head = block.head();
    if (answer.getProof().isEmpty()) {
      Proven none = proven(answer.getClue(), clueId, block);
      new LineageWalk(this, clueId, range, block, none.state(), null).checkNoneLeft();
      return LineageFile.of(clueId, head, none.proof());
    }
    LineageProof first = decoded(answer);
    VerifiedLineage shown = verified(first, clueId, head);
    LineageWalk walk = new LineageWalk(this, clueId, range, block, shown.state(), shown);
    walk.checkBegin(shown);
    List<Bytes> leaves = new ArrayList<>();
    for (List<LineageEntry> page = walk.next(); !page.isEmpty(); page = walk.next()) {
      page.forEach(entry -> leaves.add(entry.leaf().encode()));
      if (leaves.size() > LineageProof.COUNT_MAX) {
        throw new LineageTooLongException(
            String.format(
                Locale.ROOT,
                "clue \"%s\" has more than %d journals from jsn %s on",
                clue,
                LineageProof.COUNT_MAX,
                from));
      }
    }
    List<Digest> roots = first.roots().subList(0, Long.bitCount(first.first()));
    LineageProof whole = new LineageProof(first.clue(), first.first(), roots, leaves);
    verified(whole, clueId, head);
    return LineageFile.of(clueId, head, whole);
  }
}

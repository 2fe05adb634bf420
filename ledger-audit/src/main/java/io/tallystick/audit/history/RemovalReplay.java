package io.tallystick.audit.history;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.chunk.ClueRow;
import io.tallystick.audit.chunk.Event;
import io.tallystick.audit.chunk.LeafRow;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.replay.ReplayJsnSet;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.audit.replay.ReplayRemovalRows;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.audit.statement.RemovalFile;
import io.tallystick.evidence.ShownJournal;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.removal.Snapshot;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which bodies are gone, and by which journals they may be: an erased body waits for an occult
/// that names it, and what still waits at the end is at fault. Source: `docs/audit.md`. Not
/// thread-safe.
public final class RemovalReplay implements AutoCloseable, RemovalFile.Content {
  /// For the sets, however little memory there is.
  private static final long SET_BYTES_MIN = 1 << 20;

  private final AuditContext context;
  private final boolean permanent;
  private final ReplayRemovalRows rows;
  private final long bytesMax;
  private final Findings findings;
  private final ReplayedSnapshotBuilder builder = new ReplayedSnapshotBuilder();
  private final PurgeReplay purges = new PurgeReplay();
  private final RegulatorDays days = new RegulatorDays();
  private final Map<Long, ReplayedSnapshotBuilder.Made> made = new HashMap<>();
  private Set<Long> snapshotsAt = Set.of();

  /// With what the log begins, and by which purge; empty and null if it begins with genesis.
  private Optional<Snapshot> start = Optional.empty();

  private @Nullable JournalRef startedBy;

  private final List<AuditedRemovals.Occult> kept = new ArrayList<>();
  private long occults;
  private long journals;
  private long present;
  private long byClock;
  private ClueRow clues = new ClueRow();
  private int nextClue;

  /// A removal as it stands in the log.
  ///
  /// @param kids of the members who signed it
  /// @param blockJsn where its block begins
  record Signed(long jsn, long timeMs, List<Digest> kids, long blockJsn) {
    Signed {
      kids = List.copyOf(kids);
    }
  }

  RemovalReplay(AuditContext context, ReplayMemory memory, Findings findings) {
    this.context = context;
    this.permanent = context.genesis().features().contains(Feature.PERMANENT);
    this.rows = new ReplayRemovalRows(memory);
    this.bytesMax = Math.max(SET_BYTES_MIN, memory.bytesMax());
    this.findings = findings;
  }

  /// Begins with the next chunk.
  void begin(ClueRow chunk) {
    clues = chunk;
    nextClue = 0;
  }

  /// The next leaf, after it was judged.
  ///
  /// @param index of it in its chunk
  ///
  /// @throws FaultException if the log begins with a purge that should stand there
  void leaf(LeafRow leaves, int index, long jsn)
      throws FaultException, IOException, AuditLimitException {
    if (startedBy != null
        && jsn == startedBy.jsn().value()
        && !leaves.hash(index).equals(startedBy.leafHash())) {
      throw notInLog(jsn, startedBy);
    }
    if (leaves.erased(index)) {
      rows.waiting().add(jsn);
      checkMemory();
    }
    if (permanent) {
      return;
    }
    rows.addLeaf(leaves.kind(index), leaves.hashes(), index * Digest.BYTES);
    for (; nextClue < clues.count() && clues.leaf(nextClue) == index; nextClue++) {
      rows.addClue(jsn, clues.bytes(), clues.clueIdAt(nextClue));
    }
  }

  private void checkMemory() throws AuditLimitException {
    if (rows.setBytes() > bytesMax) {
      throw new AuditLimitException(
          String.format(
              Locale.ROOT,
              "the sets of erased and occulted journals take %d bytes, this auditor keeps %d",
              rows.setBytes(),
              bytesMax));
    }
  }

  /// @param members at this point, whom all signers are of
  /// @throws FaultException unless it may remove all that it names
  void remove(Signed signed, Extension.Removal removal, MemberReplay members)
      throws FaultException, AuditLimitException, IOException {
    switch (removal) {
      case Extension.Occult occult -> {
        checkNotPermanent(signed, "an occult");
        occult(signed, occult, members);
      }
      case Extension.Purge purge -> {
        checkNotPermanent(signed, "a purge");
        purges.purge(
            signed,
            RegulatorCheck.signers(signed, members),
            purge,
            RegulatorCheck.worth(signed, purges.firstKept(), members, days),
            builder.timeSize());
      }
      case Extension.Recall recall -> purges.recall(signed, recall);
    }
  }

  private void checkNotPermanent(Signed signed, String what) throws FaultException {
    if (permanent) {
      throw new FaultException(
          signed.jsn, FaultKind.REMOVAL_FORBIDDEN, what + " in a permanent ledger");
    }
  }

  private void occult(Signed signed, Extension.Occult occult, MemberReplay members)
      throws FaultException, AuditLimitException, IOException {
    ReplayedOccultTargets targetsOf = new ReplayedOccultTargets(rows, purges);
    ReplayJsnSet targets =
        switch (occult.target()) {
          case ErasureTarget.Journals(List<JournalRef> named) -> targetsOf.named(signed, named);
          case ErasureTarget.OfClue clue -> targetsOf.ofClue(signed, clue);
        };
    long lowest = targets.next(0);
    RegulatorCheck.Grounds grounds;
    if (occult.target() instanceof ErasureTarget.OfClue clue
        && purges.unknown(clue.first().value())) {
      // Its lowest journal may be one that nobody knows any more.
      grounds = RegulatorCheck.check(signed, Long.MAX_VALUE, members, days);
      lowest =
          lowest != ReplayJsnSet.NONE ? lowest : Math.min(clue.last().value(), purges.start() - 1);
    } else {
      grounds = RegulatorCheck.check(signed, lowest, members, days);
    }
    if (lowest < purges.firstKept()) {
      throw new FaultException(
          signed.jsn, FaultKind.TARGET_REMOVED, "journal " + lowest + " was purged before");
    }
    for (long jsn = targets.next(0); jsn != ReplayJsnSet.NONE; jsn = targets.next(jsn + 1)) {
      if (rows.occulted().contains(jsn)) {
        throw new FaultException(
            signed.jsn, FaultKind.TARGET_REMOVED, "journal " + jsn + " was occulted before");
      }
    }
    byClock += grounds == RegulatorCheck.Grounds.CLOCK ? 1 : 0;
    note(signed, occult, targets, members);
    take(targets);
    checkMemory();
  }

  private void note(
      Signed signed, Extension.Occult occult, ReplayJsnSet targets, MemberReplay members) {
    occults++;
    journals += targets.count();
    if (kept.size() == AuditedRemovals.KEPT_MAX) {
      return;
    }
    Optional<Digest> clue =
        occult.target() instanceof ErasureTarget.OfClue of
            ? Optional.of(of.clueId())
            : Optional.empty();
    kept.add(
        new AuditedRemovals.Occult(
            signed.jsn,
            signed.timeMs,
            Printable.of(occult.basis()),
            clue,
            RegulatorCheck.signers(signed, members),
            targets.count(),
            ReplayedOccultTargets.ranges(targets)));
  }

  private void take(ReplayJsnSet targets) {
    for (long jsn = targets.next(0); jsn != ReplayJsnSet.NONE; jsn = targets.next(jsn + 1)) {
      if (purges.unknown(jsn)) {
        continue;
      }
      rows.occulted().add(jsn);
      boolean gone = rows.waiting().remove(jsn);
      present += !gone && context.bodiesAt(jsn) ? 1 : 0;
    }
  }

  /// To be asked at the end of the log: no removal can come any more.
  ///
  /// @throws FaultException with the lowest journal whose body is gone, if the audit ends there
  void checkEnd() throws FaultException {
    ReplayJsnSet waiting = rows.waiting();
    long jsn = waiting.next(0);
    while (jsn != ReplayJsnSet.NONE) {
      findings.add(
          new AuditFault(
              jsn,
              FaultKind.BODY_MISSING,
              "it is said to be erased; no occult names this journal"));
      waiting.remove(jsn);
      jsn = waiting.next(jsn + 1);
    }
  }

  /// Takes what a statement says, before any leaf was added.
  void restore(AuditStatement.Removals known) {
    kept.addAll(known.occults());
    occults = known.count();
    journals = known.journals();
    present = known.present();
    rows.beginAt(known.firstJsn());
  }

  /// For a statement, without the file that it names.
  AuditStatement.Removals state() {
    return new AuditStatement.Removals(
        kept, occults, journals, present, rows.firstJsn(), Optional.empty());
  }

  /// At the blocks' ends below these jsns.
  public void makeSnapshotsAt(Set<Long> firstKept) {
    snapshotsAt = Set.copyOf(firstKept);
  }

  /// Goes on behind the seal up to which the log was purged.
  void begin(Beginning beginning) {
    Snapshot snapshot = beginning.snapshot();
    rows.beginAt(beginning.firstKept());
    builder.begin(snapshot);
    start = Optional.of(snapshot);
    ShownJournal purge = beginning.start().purge();
    startedBy = new JournalRef(purge.jsn(), purge.leafHash());
  }

  /// A journal that stays from below.
  ///
  /// @param members before it
  void kept(Beginning.Kept kept, MemberReplay members) throws FaultException, AuditLimitException {
    Signed signed = new Signed(kept.jsn(), kept.journal().timeMs(), kept.kids(), Long.MAX_VALUE);
    switch (kept.journal().header().extension()) {
      case Extension.Purge purge ->
          purges.purge(
              signed,
              RegulatorCheck.signers(signed, members),
              purge,
              PurgeReplay.Regulators.COUNT,
              PurgeReplay.NONE);
      case Extension.Recall recall -> purges.recall(signed, recall);
      default -> {}
    }
    days.kept(kept.jsn(), kept.journal().header().extension());
    builder.keep(kept);
  }

  /// All journals that stay from below were told.
  void begun() {
    purges.beginAt(rows.firstJsn(), startJsn());
  }

  private long startJsn() {
    return startedBy == null ? PurgeReplay.NONE : startedBy.jsn().value();
  }

  /// The genesis leaf, after it was checked.
  public void founded(Event.Shown genesis) {
    builder.keep(0, genesis);
  }

  /// A submission that keeps the rules.
  ///
  /// @param timeMs of its leaves
  void submitted(Event.Submission submission, long timeMs) {
    if (!permanent) {
      days.journal(submission.firstJsn(), timeMs, submission.extension());
      builder.submitted(submission);
    }
  }

  /// A seal, after its leaf.
  void sealed(SealLeaf seal, SignatureWindow used) throws AuditLimitException, IOException {
    if (!permanent && seal.height() > 0 && snapshotsAt.contains(seal.jsn().value() + 1)) {
      made.put(
          seal.jsn().value() + 1,
          builder.build(
              context.genesis().encode(),
              context.strand().strand(),
              seal,
              rows,
              used.open(seal.timeMs())));
    }
  }

  /// By firstKept, those that were asked for; a block may end there or not.
  Map<Long, ReplayedSnapshotBuilder.Made> made() {
    return made;
  }

  /// The snapshot of the next purge, if it ends at `firstKept` and nobody is absent; empty if none
  /// was made for that end.
  public Optional<Snapshot> snapshot(long firstKept) {
    return Optional.ofNullable(made.get(firstKept)).map(each -> each.of(purges.firstKept()));
  }

  public PurgeReplay purges() {
    return purges;
  }

  /// The hash of a leaf that was read; zero for one that was not.
  Digest leafHash(long jsn) throws IOException {
    return jsn < rows.firstJsn() ? Digest.ZERO : rows.leafHash(jsn);
  }

  /// Whether there is nothing to write.
  public boolean isEmpty() {
    return rows.isEmpty();
  }

  @Override
  public void writeTo(DataOutputStream out) throws IOException {
    rows.writeTo(out);
    builder.writeTo(out);
    purges.writeTo(out);
    days.writeTo(out);
    out.writeLong(byClock);
    out.writeBoolean(startedBy != null);
    if (startedBy != null) {
      out.writeLong(startedBy.jsn().value());
      out.write(startedBy.leafHash().toArray());
    }
  }

  @Override
  public void readFrom(DataInputStream in) throws IOException, MalformedException {
    rows.readFrom(in);
    try {
      builder.readFrom(in);
      purges.readFrom(in);
      days.readFrom(in);
      byClock = in.readLong();
      if (in.readBoolean()) {
        Jsn jsn = new Jsn(in.readLong());
        startedBy = new JournalRef(jsn, Digest.of(in.readNBytes(Digest.BYTES)));
        purges.beginAt(rows.firstJsn(), startJsn());
      }
    } catch (EOFException e) {
      throw new MalformedException("it breaks off", e);
    }
  }

  AuditedRemovals report() {
    Optional<AuditedRemovals.Prefix> prefix =
        startedBy == null
            ? Optional.empty()
            : Optional.of(new AuditedRemovals.Prefix(rows.firstJsn(), startedBy.jsn().value()));
    return new AuditedRemovals(
        kept,
        occults,
        journals,
        present,
        rows.waiting().count(),
        byClock + purges.byClock(),
        purges.report(),
        prefix);
  }

  /// The log reaches to the purge by which its beginning went.
  ///
  /// @param size of the log
  public void checkStart(long size) throws FaultException {
    if (startedBy == null) {
      return;
    }
    if (startedBy.jsn().value() >= size) {
      throw notInLog(size - 1, startedBy);
    }
  }

  private static FaultException notInLog(long jsn, JournalRef purge) {
    return new FaultException(
        jsn,
        FaultKind.PSEUDO_GENESIS_INVALID,
        String.format(
            Locale.ROOT,
            "the log has another leaf than purge %s, of hash %s, or none",
            purge.jsn(),
            purge.leafHash()));
  }

  /// The snapshot of the purge that ends at `firstKept`, if the log begins there; else empty.
  Optional<Snapshot> startAt(long firstKept) {
    return start.filter(each -> each.firstKept().value() == firstKept);
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}

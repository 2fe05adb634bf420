package io.tallystick.audit;

import io.tallystick.audit.replay.JsnSet;
import io.tallystick.audit.replay.RemovalRows;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import io.tallystick.removal.Snapshot;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Which bodies are gone, and by which journals they may be: an erased body waits for an occult
/// that names it, and what still waits at the end is at fault. Source: `docs/audit.md`. Not
/// thread-safe.
final class RemovalReplay implements AutoCloseable, RemovalFile.Content {
  /// From then on a regulator counts for journals older than its appointment, too.
  private static final long REGULATOR_DELAY_MS = Duration.ofDays(30).toMillis();

  /// For the sets, however little memory there is.
  private static final long SET_BYTES_MIN = 1 << 20;

  private final AuditContext context;
  private final boolean permanent;
  private final RemovalRows rows;
  private final long bytesMax;
  private final Findings findings;
  private final SnapshotBuilder builder = new SnapshotBuilder();
  private Optional<Snapshot> snapshot = Optional.empty();
  private long snapshotAt;
  private final List<AuditedRemovals.Occult> kept = new ArrayList<>();
  private long occults;
  private long journals;
  private long present;
  private ClueRow clues = new ClueRow();
  private int nextClue;

  /// An occult as it stands in the log.
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
    this.rows = new RemovalRows(memory);
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
  void leaf(LeafRow leaves, int index, long jsn) throws IOException, AuditLimitException {
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
          "the sets of erased and occulted journals take %d bytes, this auditor keeps %d"
              .formatted(rows.setBytes(), bytesMax));
    }
  }

  /// @param members at this point, whom all signers are of
  /// @throws FaultException unless it may remove all that it names
  void occult(Signed signed, Extension.Occult occult, MemberReplay members)
      throws FaultException, AuditLimitException, IOException {
    if (permanent) {
      throw new FaultException(
          signed.jsn, FaultKind.REMOVAL_FORBIDDEN, "an occult in a permanent ledger");
    }
    JsnSet targets =
        switch (occult.target()) {
          case ErasureTarget.Journals(List<JournalRef> named) -> named(signed, named);
          case ErasureTarget.OfClue clue -> ofClue(signed, clue);
        };
    checkRegulator(signed, targets.next(0), members);
    for (long jsn = targets.next(0); jsn != JsnSet.NONE; jsn = targets.next(jsn + 1)) {
      if (rows.occulted().contains(jsn)) {
        throw new FaultException(
            signed.jsn, FaultKind.TARGET_REMOVED, "journal " + jsn + " was occulted before");
      }
    }
    note(signed, occult, targets, members);
    take(targets);
    checkMemory();
  }

  private JsnSet named(Signed signed, List<JournalRef> named)
      throws FaultException, AuditLimitException, IOException {
    JsnSet targets = new JsnSet();
    for (JournalRef target : named) {
      long jsn = target.jsn().value();
      if (jsn >= signed.blockJsn) {
        throw invalid(
            signed, "journal %d is not below its block, from %d".formatted(jsn, signed.blockJsn));
      }
      checkKnown(jsn);
      int kind = rows.kind(jsn);
      if (kind != Kind.APPEND.code() && kind != Kind.CLUE_DELETE.code()) {
        throw kind == 0
            ? invalid(signed, "leaf %d is no journal".formatted(jsn))
            : invalid(signed, "journal %d is of kind %d, want 1 or 2".formatted(jsn, kind));
      }
      Digest hash = rows.leafHash(jsn);
      if (!hash.equals(target.leafHash())) {
        throw invalid(
            signed,
            "journal %d has leaf hash %s, named is %s".formatted(jsn, hash, target.leafHash()));
      }
      targets.add(jsn);
    }
    return targets;
  }

  private JsnSet ofClue(Signed signed, ErasureTarget.OfClue target)
      throws FaultException, AuditLimitException, IOException {
    long first = target.first().value();
    long last = target.last().value();
    if (last >= signed.blockJsn) {
      throw invalid(
          signed, "journal %d is not below its block, from %d".formatted(last, signed.blockJsn));
    }
    checkKnown(first);
    JsnSet targets = rows.journals(target.clueId(), first, last);
    if (targets.isEmpty()) {
      throw invalid(
          signed, "no journal from %d to %d names clue %s".formatted(first, last, target.clueId()));
    }
    return targets;
  }

  private void checkKnown(long jsn) throws AuditLimitException {
    if (jsn < rows.firstJsn()) {
      throw new AuditLimitException(
          ("an occult names journal %d; the run before audited that and kept no record of it,"
                  + " so audit from the beginning")
              .formatted(jsn));
    }
  }

  /// @param lowest of the journals it names
  private static void checkRegulator(Signed signed, long lowest, MemberReplay members)
      throws FaultException, AuditLimitException {
    boolean any = false;
    boolean unknown = false;
    long countsFromMs = Long.MAX_VALUE;
    for (Digest kid : signed.kids) {
      AuditStatement.Member member = members.ofSigner(kid);
      if (member.role() != Role.REGULATOR) {
        continue;
      }
      any = true;
      unknown |= member.sinceJsn() < 0 || member.sinceMs() < 0;
      long fromMs = member.sinceMs() < 0 ? Long.MAX_VALUE : member.sinceMs() + REGULATOR_DELAY_MS;
      countsFromMs = Math.min(countsFromMs, fromMs);
      if ((member.sinceJsn() >= 0 && lowest > member.sinceJsn()) || signed.timeMs >= fromMs) {
        return;
      }
    }
    if (!any) {
      throw new FaultException(
          signed.jsn, FaultKind.REGULATOR_MISSING, "none of its signers is a regulator");
    }
    if (unknown) {
      throw new AuditLimitException(
          ("the run before kept no record of when a regulator who signed at %d became one,"
                  + " so audit from the beginning")
              .formatted(signed.jsn));
    }
    throw new FaultException(
        signed.jsn,
        FaultKind.REGULATOR_TOO_NEW,
        "its regulators count for journal %d from %d on, the leaf is of %d"
            .formatted(lowest, countsFromMs, signed.timeMs));
  }

  private void note(Signed signed, Extension.Occult occult, JsnSet targets, MemberReplay members) {
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
            signed.kids.stream()
                .map(kid -> new AuditedRemovals.Signer(kid, members.ofSigner(kid).role()))
                .toList(),
            targets.count(),
            AuditedRemovals.ranges(targets)));
  }

  private void take(JsnSet targets) {
    for (long jsn = targets.next(0); jsn != JsnSet.NONE; jsn = targets.next(jsn + 1)) {
      rows.occulted().add(jsn);
      boolean gone = rows.waiting().remove(jsn);
      present += !gone && context.bodiesAt(jsn) ? 1 : 0;
    }
  }

  /// To be asked at the end of the log: no removal can come any more.
  ///
  /// @throws FaultException with the lowest journal whose body is gone, if the audit ends there
  void checkEnd() throws FaultException {
    JsnSet waiting = rows.waiting();
    long jsn = waiting.next(0);
    while (jsn != JsnSet.NONE) {
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

  /// At the block's end below that jsn; 0 for none.
  void makeSnapshotAt(long firstKept) {
    snapshotAt = firstKept;
  }

  /// The genesis leaf, after it was checked.
  void founded(Event.Shown genesis) {
    builder.keep(0, genesis);
  }

  /// A submission that keeps the rules.
  void submitted(Event.Submission submission) {
    if (!permanent) {
      builder.submitted(submission);
    }
  }

  /// A seal, after its leaf.
  void sealed(SealLeaf seal, SignatureWindow used) throws AuditLimitException, IOException {
    if (!permanent && seal.height() > 0 && seal.jsn().value() + 1 == snapshotAt) {
      snapshot =
          Optional.of(
              builder.build(
                  context.genesis().encode(),
                  context.strand().strand(),
                  seal,
                  rows,
                  used.open(seal.timeMs())));
    }
  }

  /// Of a purge in which nobody is absent.
  Optional<Snapshot> snapshot() {
    return snapshot;
  }

  /// Whether there is nothing to write.
  boolean isEmpty() {
    return rows.isEmpty();
  }

  @Override
  public void writeTo(DataOutputStream out) throws IOException {
    rows.writeTo(out);
    builder.writeTo(out);
  }

  @Override
  public void readFrom(DataInputStream in) throws IOException, MalformedException {
    rows.readFrom(in);
    try {
      builder.readFrom(in);
    } catch (EOFException e) {
      throw new MalformedException("it breaks off", e);
    }
  }

  AuditedRemovals report() {
    return new AuditedRemovals(kept, occults, journals, present, rows.waiting().count());
  }

  private static FaultException invalid(Signed signed, String detail) {
    return new FaultException(signed.jsn, FaultKind.TARGET_INVALID, detail);
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}

package io.tallystick.audit;

import static io.tallystick.audit.PurgeLogs.FIXTURES;
import static io.tallystick.audit.PurgeLogs.RECALL_MS;
import static io.tallystick.audit.PurgeLogs.SIZE;
import static io.tallystick.audit.PurgeLogs.content;
import static io.tallystick.audit.PurgeLogs.kids;
import static io.tallystick.audit.PurgeLogs.purge;
import static io.tallystick.audit.PurgeLogs.purged;
import static io.tallystick.audit.PurgeLogs.recall;
import static io.tallystick.audit.PurgeLogs.sample;
import static io.tallystick.audit.PurgeLogs.snapshot;
import static io.tallystick.audit.RemovalLogs.assertFault;
import static io.tallystick.audit.RemovalLogs.audit;
import static io.tallystick.audit.RemovalLogs.passes;
import static io.tallystick.testkit.Fixtures.ALICE;
import static io.tallystick.testkit.Fixtures.BOB;
import static io.tallystick.testkit.Fixtures.CAROL;
import static io.tallystick.testkit.Fixtures.TIME_MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.chunk.Chunk;
import io.tallystick.audit.chunk.ChunkReader;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.report.AuditPage;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PrefixReader;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: in a log that is read whole a purge is judged by the snapshot that the log makes and by
/// whom it affects, a recall by the purge that it names. Method: logs with purges, and for each
/// rule one that breaks it.
class PurgeAuditTest {
  @TempDir private Path folder;

  @Test
  void aPurgeWhoseSnapshotIsThatOfTheLogIsRight() {
    AuditReport report = passes(MemoryLog.of(purged()));
    AuditedRemovals.Purge purge = report.removals().purges().getFirst();
    assertThat(purge.jsn()).isEqualTo(SIZE);
    assertThat(purge.firstKept()).isEqualTo(8);
    assertThat(purge.affected()).isEqualTo(kids(ALICE, BOB));
    assertThat(purge.absent()).isEmpty();
    assertThat(purge.recalledJsn()).isNegative();
    assertThat(AuditText.of(report))
        .contains("purged   1 purge\n", "at 10 by owner ", "of all below 8\n");
    assertThat(AuditPage.of(report)).contains("<h2>Purges</h2>");
    assertThat(AuditSummary.of(report).removals().purges().getFirst().height()).isEqualTo(3);
  }

  /// A purge of this content alone in a block behind the sample.
  private static AuditFault fault(Extension.Purge content, FaultKind kind, Signer... signers) {
    ReferenceLedger log = sample();
    return assertFault(log, purge(content, TIME_MS, signers), kind);
  }

  private static long timeMs(ReferenceLedger log, int jsn) {
    try {
      return Leaf.decode(log.entries().get(jsn).leaf()).timeMs();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static void faultAt(
      long timeMs, ReferenceLedger log, Submission removal, FaultKind kind) {
    ReferenceLedger more = log.copy().at(timeMs).append(removal).seal();
    assertFault(MemoryLog.of(more), log.size(), kind);
  }

  @Test
  void anotherSnapshotIsNoneOfThisLog() {
    Extension.Purge right = content(snapshot(sample(), 8));
    Extension.Purge other = new Extension.Purge(right.firstKept(), 3, Digest.ZERO, RECALL_MS);
    assertThat(fault(other, FaultKind.SNAPSHOT_WRONG, ALICE, BOB).detail())
        .contains(right.snapshotDigest().toString());
    fault(right, FaultKind.SNAPSHOT_WRONG, ALICE);
    AuditReport all =
        audit(
            MemoryLog.of(sample().append(purge(other, TIME_MS, ALICE, BOB)).seal()),
            Logs.OPTIONS.withAllFaults());
    assertThat(all.faults()).extracting(AuditFault::jsn).containsExactly(10L);
  }

  @Test
  void endsBehindTheSealOfItsBlock() {
    fault(new Extension.Purge(new Jsn(9), 3, Digest.ZERO, 0), FaultKind.PURGE_INVALID, ALICE, BOB);
    fault(new Extension.Purge(new Jsn(8), 2, Digest.ZERO, 0), FaultKind.PURGE_INVALID, ALICE, BOB);
    fault(new Extension.Purge(new Jsn(12), 4, Digest.ZERO, 0), FaultKind.PURGE_INVALID, ALICE);
  }

  /// The fault with the lowest jsn is named, though the snapshot is made at the end.
  @Test
  void isNamedBeforeALaterFault() {
    ReferenceLedger log = sample();
    Extension.Purge other = new Extension.Purge(new Jsn(8), 3, Digest.ZERO, RECALL_MS);
    log.append(purge(other, TIME_MS, ALICE, BOB)).append(FIXTURES.single(9)).seal();
    MemoryLog both = MemoryLog.of(log).with(11, e -> MemoryLog.bodiless(e, BodyState.DAMAGED));
    assertFault(both, 10, FaultKind.SNAPSHOT_WRONG);
    assertFault(
        MemoryLog.of(purged().append(FIXTURES.single(9)).seal())
            .with(12, e -> MemoryLog.bodiless(e, BodyState.DAMAGED)),
        12,
        FaultKind.BODY_DAMAGED);
  }

  @Test
  void aRegulatorWhoCountsSignsForWhoIsAbsent() {
    Snapshot withoutBob = snapshot(sample(), 8, BOB);
    fault(content(withoutBob), FaultKind.REGULATOR_MISSING, ALICE);
    fault(content(withoutBob), FaultKind.REGULATOR_TOO_NEW, ALICE, CAROL);
    long later = TIME_MS + RemovalLogs.DELAY_MS + 1_000;
    ReferenceLedger log = sample().at(later);
    log.append(purge(content(snapshot(log, 8, BOB)), later, ALICE, CAROL)).seal();
    assertThat(passes(MemoryLog.of(log)).removals().purges().getFirst().absent())
        .isEqualTo(kids(BOB));
  }

  @Test
  void aReaderSignsOnlyWhereAffected() {
    ReferenceLedger log = sample().append(RemovalLogs.grant(FIXTURES, Role.READ_ONLY, BOB)).seal();
    Snapshot snapshot = snapshot(log, 8);
    passes(MemoryLog.of(log.copy().append(purge(snapshot, ALICE, BOB)).seal()));
    ReferenceLedger other =
        sample().append(RemovalLogs.grant(FIXTURES, Role.READ_ONLY, CAROL)).seal();
    assertFault(other, purge(snapshot(other, 8), ALICE, BOB, CAROL), FaultKind.ROLE_NOT_ALLOWED);
    assertFault(sample(), purge(snapshot(sample(), 8), CAROL), FaultKind.ROLE_NOT_ALLOWED);
  }

  /// The second affects only who signed since the first.
  @Test
  void oneIsOpenAtATimeAndAboveTheLast() {
    ReferenceLedger log = purged().append(FIXTURES.single(9)).seal();
    Snapshot second = snapshot(log, 12);
    assertThat(second.affected()).isEqualTo(kids(ALICE));
    assertFault(log, purge(second, ALICE), FaultKind.PURGE_INVALID);
    long closed = timeMs(log, 10) + RECALL_MS;
    faultAt(closed, log, purge(content(second), closed, ALICE), FaultKind.PURGE_INVALID);
    long later = closed + 1;
    passes(MemoryLog.of(log.copy().at(later).append(purge(content(second), later, ALICE)).seal()));
    Extension.Purge low = content(snapshot(log, 10));
    faultAt(later, log, purge(low, later, ALICE, BOB), FaultKind.PURGE_INVALID);
  }

  @Test
  void goesNoFurtherThanTheNewestTimeJournal() {
    ReferenceLedger log = sample();
    TimeLogs.anchor(log, 6, Optional.empty(), TIME_MS).seal();
    assertFault(log, purge(snapshot(log, 8), ALICE, BOB), FaultKind.PURGE_INVALID);
    passes(MemoryLog.of(log.copy().append(purge(snapshot(log, 6), ALICE)).seal()));
  }

  @Test
  void aRecallNamesTheNewestPurgeInTime() {
    ReferenceLedger log = purged();
    AuditReport report = passes(MemoryLog.of(log.copy().append(recall(10, TIME_MS, BOB)).seal()));
    assertThat(report.removals().purges().getFirst().recalledJsn()).isEqualTo(12);
    assertThat(AuditText.of(report)).contains("; recalled at 12");
    assertFault(log, recall(8, TIME_MS, ALICE), FaultKind.RECALL_INVALID);
    assertFault(log, recall(10, TIME_MS, CAROL), FaultKind.ROLE_NOT_ALLOWED);
    assertFault(
        log.copy().append(recall(10, TIME_MS, BOB)).seal(),
        recall(10, TIME_MS, ALICE),
        FaultKind.RECALL_INVALID);
    assertFault(sample(), recall(8, TIME_MS, ALICE), FaultKind.RECALL_INVALID);
    long last = timeMs(log, 10) + RECALL_MS;
    passes(MemoryLog.of(log.copy().at(last).append(recall(10, last, BOB)).seal()));
    faultAt(last + 1, log, recall(10, last + 1, BOB), FaultKind.RECALL_INVALID);
  }

  /// After a recall the next purge affects all again.
  @Test
  void aRecalledPurgeCountsAsIfItHadNotBeen() {
    ReferenceLedger log = purged().append(recall(10, TIME_MS, ALICE)).seal();
    Snapshot again = snapshot(log, 8);
    assertThat(again.affected()).isEqualTo(kids(ALICE, BOB));
    passes(MemoryLog.of(log.append(purge(content(again), TIME_MS + 1, ALICE, BOB)).seal()));
  }

  @Test
  void nothingPurgedIsOcculted() {
    ReferenceLedger log = purged();
    long later = TIME_MS + RemovalLogs.DELAY_MS + 1_000;
    Submission occult = RemovalLogs.occult(log, RemovalLogs.journals(log, 4), later, ALICE, CAROL);
    faultAt(later, log, occult, FaultKind.TARGET_REMOVED);
    Submission kept = RemovalLogs.occult(log, RemovalLogs.journals(log, 8), later, ALICE, CAROL);
    passes(MemoryLog.of(log.at(later).append(kept).seal()));
  }

  @Test
  void thereIsNoneInAPermanentLedger() {
    Fixtures permanent = FIXTURES.withFeatures(Set.of(Feature.PERMANENT));
    ReferenceLedger log = ReferenceLedger.found(permanent).append(permanent.single(1)).seal();
    Submission purge =
        permanent.govern(Kind.PURGE, new Extension.Purge(new Jsn(4), 1, Digest.ZERO, 0), ALICE);
    assertFault(log, purge, FaultKind.REMOVAL_FORBIDDEN);
  }

  /// To make snapshots of a log that begins above all of them.
  @Test
  void nothingIsReadBelowTheFirstLeafOfALog() throws Exception {
    LogSource.LogReader rest = MemoryLog.of(sample()).open(8, 0);
    Chunk chunk = new ChunkReader(new PrefixReader(rest, 8, 6), 8, null).next();
    assertThat(chunk.entries().count()).isZero();
    assertThat(chunk.sourceFault()).isNull();
  }

  /// A purge that a run which was cut off had read is judged by the run that goes on from there.
  @Test
  void isJudgedAlsoInTwoRuns() throws Exception {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    Extension.Purge other = new Extension.Purge(new Jsn(8), 3, Digest.ZERO, RECALL_MS);
    for (boolean right : new boolean[] {true, false}) {
      ReferenceLedger log =
          (right ? purged() : sample().append(purge(other, TIME_MS, ALICE, BOB)).seal())
              .append(FIXTURES.single(9))
              .seal();
      AuditStatements statements =
          new AuditStatements(folder.resolve("right" + right), auditor, Duration.ZERO);
      MemoryLog cut = MemoryLog.of(log).withEntries(MemoryLog.of(log).entries().subList(0, 13));
      assertThat(Logs.AUDITOR.audit(log.strand(), cut, Logs.OPTIONS, statements).firstFault())
          .isPresent();
      AuditReport report =
          Logs.AUDITOR.audit(log.strand(), MemoryLog.of(log), Logs.OPTIONS, statements);
      assertThat(report.resumedFrom()).isEqualTo(12);
      assertThat(report.firstFault().map(AuditFault::kind))
          .isEqualTo(right ? Optional.empty() : Optional.of(FaultKind.SNAPSHOT_WRONG));
      assertThat(report.removals().purges()).hasSize(1);
    }
  }
}

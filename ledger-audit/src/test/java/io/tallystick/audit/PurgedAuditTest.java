package io.tallystick.audit;

import static io.tallystick.audit.PurgeLogs.FIXTURES;
import static io.tallystick.audit.PurgeLogs.content;
import static io.tallystick.audit.PurgeLogs.kids;
import static io.tallystick.audit.PurgeLogs.purge;
import static io.tallystick.audit.PurgeLogs.purged;
import static io.tallystick.audit.PurgeLogs.recall;
import static io.tallystick.audit.PurgeLogs.sample;
import static io.tallystick.audit.PurgeLogs.snapshot;
import static io.tallystick.audit.PurgeLogs.without;
import static io.tallystick.testkit.Fixtures.ALICE;
import static io.tallystick.testkit.Fixtures.BOB;
import static io.tallystick.testkit.Fixtures.CAROL;
import static io.tallystick.testkit.Fixtures.TIME_MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.PurgeLogs.Purged;
import io.tallystick.audit.export.TileExport;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.UnreachableException;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditPage;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.Role;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a log whose prefix was purged is audited from what it begins with now, and the report says
/// what it cannot know. Method: the whole log without what went, and that changed.
class PurgedAuditTest {
  @TempDir private Path folder;

  private static AuditReport audit(LogSource log) {
    return audit(log, Logs.OPTIONS);
  }

  private static AuditReport audit(LogSource log, AuditOptions options) {
    try {
      return Logs.AUDITOR.audit(FIXTURES.strand(), log, options);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static AuditReport passes(LogSource log) {
    AuditReport report = audit(log);
    assertThat(report.firstFault()).isEmpty();
    return report;
  }

  private static void faulty(LogSource log, long jsn, FaultKind kind) {
    AuditFault fault = audit(log).firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
    assertThat(fault.jsn()).as(fault.toString()).isEqualTo(jsn);
  }

  /// What is left of the log whose first eight leaves went.
  private static Purged left(ReferenceLedger log) {
    return without(log, 10, snapshot(sample(), 8));
  }

  @Test
  void whatIsLeftIsAuditedAndWhatIsNotIsSaid() {
    ReferenceLedger log = purged().append(FIXTURES.single(9)).seal();
    AuditReport report = passes(left(log));
    assertThat(report.size().value()).isEqualTo(14);
    assertThat(report.root().digest()).isEqualTo(log.root());
    assertThat(report.removals().prefix()).contains(new AuditedRemovals.Prefix(8, 10));
    AuditedRemovals.Purge purge = report.removals().purges().getFirst();
    assertThat(purge.signers())
        .extracting(AuditedRemovals.Signer::role)
        .containsOnly(Role.OWNER)
        .hasSize(2);
    assertThat(purge.affected()).isEqualTo(kids(ALICE, BOB));
    assertThat(report.people().members()).isEqualTo(audit(MemoryLog.of(log)).people().members());
    assertThat(AuditText.of(report))
        .contains("AUDIT PASSED from jsn 8 on", "NOT CHECKED: all below 8, which purge 10 removed");
    assertThat(AuditPage.of(report)).contains("NOT CHECKED: all below 8");
    assertThat(AuditSummary.of(report).removals().prefix())
        .isEqualTo(new AuditSummary.Prefix(8, 10));
  }

  /// It names a snapshot of what is gone.
  @Test
  void aRecalledPurgeThatEndsBelowWhatIsLeftIsNotJudged() {
    Snapshot gone = snapshot(sample(), 8);
    ReferenceLedger log =
        sample()
            .append(purge(snapshot(sample(), 6), ALICE))
            .seal()
            .append(recall(10, TIME_MS, ALICE))
            .seal()
            .append(purge(gone, ALICE, BOB))
            .seal();
    passes(MemoryLog.of(log));
    AuditReport report = passes(without(log, 14, gone));
    assertThat(report.removals().purges()).hasSize(2);
  }

  @Test
  void aSavedCopyBeginsWithTheSame() throws Exception {
    Purged left = left(purged().append(FIXTURES.single(9)).seal());
    Path copy = folder.resolve("copy");
    assertThat(LogCopy.save(left, copy)).isEqualTo(6);
    AuditReport report = passes(new LogCopySource(copy));
    assertThat(report.removals()).isEqualTo(passes(left).removals());
    assertThat(report.counts()).isEqualTo(passes(left).counts());
    byte[] bytes = Files.readAllBytes(copy);
    assertThat(bytes[11]).isEqualTo((byte) 3);
    bytes[60] ^= 1;
    Files.write(copy, bytes);
    assertThat(audit(new LogCopySource(copy)).firstFault()).isPresent();
  }

  /// What a source says while a purge comes into force: the beginning is that of before, twice, and
  /// no leaf from there on is left.
  private static LogSource purgedMeanwhile(Purged before) {
    AtomicInteger asked = new AtomicInteger();
    return (LogSource)
        Proxy.newProxyInstance(
            LogSource.class.getClassLoader(),
            new Class<?>[] {LogSource.class},
            (_, method, args) ->
                switch (method.getName()) {
                  case "purged" ->
                      asked.getAndIncrement() < 2
                          ? before.purged()
                          : Optional.of(new PurgedStart(before.start().window(), Bytes.EMPTY));
                  case "open" -> throw LogFormatException.truncated("the leaf is gone");
                  default -> method.invoke(before, args);
                });
  }

  @Test
  void aPurgeWhileItIsReadIsNoFault() {
    Purged left = left(purged());
    assertThatThrownBy(
            () -> Logs.AUDITOR.audit(FIXTURES.strand(), purgedMeanwhile(left), Logs.OPTIONS))
        .isInstanceOf(UnreachableException.class)
        .hasMessageContaining("came into force while the log was read");
    assertThatThrownBy(() -> LogCopy.save(purgedMeanwhile(left), folder.resolve("meanwhile")))
        .isInstanceOf(UnreachableException.class);
    try (TileExport export =
        new TileExport(
            folder.resolve("files"), false, SignatureProviders.best(), AuditProgress.NONE)) {
      assertThatThrownBy(() -> export.write(FIXTURES.strand(), purgedMeanwhile(left)))
          .isInstanceOf(UnreachableException.class);
    }
  }

  /// From a statement of 6 leaves nothing that is left can be reached; from 8 or more it can.
  @Test
  void aStatementFromBeforeGoesOnIfItReachesWhatIsLeft() throws Exception {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    ReferenceLedger log = purged().append(FIXTURES.single(9)).seal();
    for (int size : new int[] {6, 8, 10, 12}) {
      AuditStatements statements =
          new AuditStatements(folder.resolve("at" + size), auditor, Duration.ZERO);
      MemoryLog cut =
          MemoryLog.of(log).with(size, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
      assertThat(Logs.AUDITOR.audit(log.strand(), cut, Logs.OPTIONS, statements).firstFault())
          .isPresent();
      if (size < 8) {
        assertThatThrownBy(
                () -> Logs.AUDITOR.audit(log.strand(), left(log), Logs.OPTIONS, statements))
            .isInstanceOfSatisfying(
                StatementException.class,
                e -> assertThat(e.reason()).isEqualTo(StatementException.Reason.PURGED));
        continue;
      }
      AuditReport report = Logs.AUDITOR.audit(log.strand(), left(log), Logs.OPTIONS, statements);
      assertThat(report.firstFault()).as("from %d", size).isEmpty();
      assertThat(report.resumedFrom()).isEqualTo(size);
      assertThat(report.removals().purges().getFirst().affected()).isEqualTo(kids(ALICE, BOB));
    }
  }

  /// What a run over what is left has stated is gone on from.
  @Test
  void statesAndGoesOn() throws Exception {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    AuditStatements statements =
        new AuditStatements(folder.resolve("left"), auditor, Duration.ZERO);
    ReferenceLedger log = purged();
    assertThat(Logs.AUDITOR.audit(log.strand(), left(log), Logs.OPTIONS, statements).firstFault())
        .isEmpty();
    ReferenceLedger more = log.copy().append(FIXTURES.single(9)).seal();
    AuditReport report = Logs.AUDITOR.audit(log.strand(), left(more), Logs.OPTIONS, statements);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.resumedFrom()).isEqualTo(12);
    assertThat(report.removals()).isEqualTo(passes(left(more)).removals());
  }

  private AuditStatements statements(String name) throws Exception {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    return new AuditStatements(folder.resolve(name), auditor, Duration.ZERO);
  }

  /// The purge that the log begins with had been read, and was not judged when the run was cut off.
  @Test
  void thePurgeThatItBeginsWithIsJudgedAlsoInTwoRuns() throws Exception {
    AuditStatements statements = statements("cut");
    ReferenceLedger log = purged().append(FIXTURES.single(9)).seal();
    MemoryLog damaged =
        MemoryLog.of(log).with(12, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
    Purged cut = new Purged(damaged, left(log).start(), 8);
    assertThat(Logs.AUDITOR.audit(log.strand(), cut, Logs.OPTIONS, statements).firstFault())
        .isPresent();
    AuditReport report = Logs.AUDITOR.audit(log.strand(), left(log), Logs.OPTIONS, statements);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.resumedFrom()).isEqualTo(12);
    assertThat(report.removals()).isEqualTo(passes(left(log)).removals());
  }

  /// The statement is of the whole log, below two purges, and reaches what the second left. What
  /// the first named, nobody can read again.
  @Test
  void aPurgeThatWasRecalledIsNotJudgedIfTheLogBeginsAboveItByNow() throws Exception {
    AuditStatements statements = statements("farther");
    ReferenceLedger log = sample().append(FIXTURES.single(9)).seal();
    assertThat(
            Logs.AUDITOR
                .audit(log.strand(), MemoryLog.of(log), Logs.OPTIONS, statements)
                .firstFault())
        .isEmpty();
    Snapshot second = snapshot(log, 10);
    log.append(purge(snapshot(log, 8), ALICE, BOB)).seal();
    log.append(recall(12, TIME_MS, ALICE)).seal();
    log.append(purge(second, ALICE, BOB)).seal();
    AuditReport report =
        Logs.AUDITOR.audit(log.strand(), without(log, 16, second), Logs.OPTIONS, statements);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.resumedFrom()).isEqualTo(12);
    assertThat(report.removals().purges())
        .extracting(AuditedRemovals.Purge::compared)
        .containsExactly(false, true);
    assertThat(report.removals().purges().getLast().affected()).isEqualTo(kids(ALICE, BOB));
    assertThat(AuditText.of(report))
        .containsOnlyOnce("; recalled at 14; its snapshot was not compared\n")
        .containsOnlyOnce("not compared");
    assertThat(AuditPage.of(report)).contains("<td>not compared</td>", "<td>compared</td>");
  }

  /// The statement was made while the purge could be recalled.
  @Test
  void aStatementOfWhatIsLeftIsRefusedWhenThePurgeWasRecalled() throws Exception {
    AuditStatements statements = statements("recalled");
    ReferenceLedger log = purged();
    assertThat(Logs.AUDITOR.audit(log.strand(), left(log), Logs.OPTIONS, statements).firstFault())
        .isEmpty();
    log.append(recall(10, TIME_MS, ALICE)).seal();
    assertRecalled(MemoryLog.of(log), statements);
    ReferenceLedger same = log.copy();
    Snapshot again = snapshot(sample(), 8);
    same.append(purge(content(again), TIME_MS + 1, ALICE, BOB)).seal();
    assertRecalled(without(same, 14, again), statements);
    ReferenceLedger more = log.copy();
    Snapshot above = snapshot(more, 12);
    more.append(purge(content(above), TIME_MS + 1, ALICE, BOB)).seal();
    assertThatThrownBy(() ->
            Logs.AUDITOR.audit(log.strand(), without(more, 14, above), Logs.OPTIONS, statements))
        .isInstanceOf(AuditLimitException.class)
        .hasMessageContaining("journal 12 recalls purge 10");
    AuditFault fault =
        Logs.AUDITOR
            .audit(log.strand(), left(log), Logs.OPTIONS, statements)
            .firstFault()
            .orElseThrow();
    assertThat(fault.kind()).isEqualTo(FaultKind.PSEUDO_GENESIS_INVALID);
    assertThat(fault.jsn()).isEqualTo(12);
  }

  private static void assertRecalled(LogSource source, AuditStatements statements) {
    assertThatThrownBy(
            () -> Logs.AUDITOR.audit(FIXTURES.strand(), source, Logs.OPTIONS, statements))
        .isInstanceOfSatisfying(
            StatementException.class,
            e -> assertThat(e.reason()).isEqualTo(StatementException.Reason.PURGE_RECALLED));
  }

  /// It goes above the first, which stands.
  @Test
  void aStatementOfWhatIsLeftGoesOnBehindALaterPurge() throws Exception {
    AuditStatements statements = statements("later");
    ReferenceLedger log = purged().append(FIXTURES.single(9)).seal();
    assertThat(Logs.AUDITOR.audit(log.strand(), left(log), Logs.OPTIONS, statements).firstFault())
        .isEmpty();
    Snapshot second = snapshot(log, 12);
    long later = TIME_MS + PurgeLogs.RECALL_MS + 1_000;
    log.at(later).append(purge(content(second), later, ALICE)).seal();
    AuditReport report =
        Logs.AUDITOR.audit(log.strand(), without(log, 14, second), Logs.OPTIONS, statements);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.resumedFrom()).isEqualTo(14);
  }

  /// A signature that was used below is not taken again.
  @Test
  void noPurgedRequestIsTakenAgain() {
    ReferenceLedger log = purged();
    Submission again = FIXTURES.single(1);
    faulty(left(log.append(again).seal()), 12, FaultKind.REPLAYED);
  }

  /// Members are those of the journals that stay.
  @Test
  void membersAreThoseOfTheJournalsKept() {
    ReferenceLedger log = purged();
    passes(left(log.copy().append(FIXTURES.submission(FIXTURES.request(9), CAROL)).seal()));
    faulty(
        left(log.copy().append(FIXTURES.memberAdd(Role.NORMAL, CAROL.publicKey())).seal()),
        12,
        FaultKind.MEMBER_CHANGE_INVALID);
  }

  @Test
  void whatItBeginsWithVerifiesOrNothingIsRead() {
    Purged left = left(purged());
    PurgedStart start = left.start();
    faulty(
        left.with(new PurgedStart(start.pseudoGenesis(), Bytes.EMPTY)),
        0,
        FaultKind.PSEUDO_GENESIS_INVALID);
    faulty(
        left.with(
            new PurgedStart(
                start.pseudoGenesis(), start.window().slice(0, start.window().size() - 32))),
        0,
        FaultKind.PSEUDO_GENESIS_INVALID);
    faulty(
        left.with(new PurgedStart(Bytes.utf8("x"), start.window())),
        0,
        FaultKind.PSEUDO_GENESIS_INVALID);
  }

  /// The file is of a purge, the log has another journal there.
  @Test
  void thePurgeIsInTheLog() {
    ReferenceLedger other = sample().append(FIXTURES.single(10)).seal();
    Purged left = left(purged());
    faulty(new Purged(MemoryLog.of(other), left.start(), 8), 10, FaultKind.PSEUDO_GENESIS_INVALID);
  }

  /// A purge that was recalled takes nothing away, so no log begins with it. The next one of the
  /// same prefix does.
  @Test
  void noLogBeginsWithAPurgeThatWasRecalled() {
    ReferenceLedger log = purged().append(recall(10, TIME_MS, ALICE)).seal();
    faulty(left(log), 12, FaultKind.PSEUDO_GENESIS_INVALID);
    Snapshot again = snapshot(sample(), 8);
    log.append(purge(content(again), TIME_MS + 1, ALICE, BOB)).seal();
    faulty(left(log), 12, FaultKind.PSEUDO_GENESIS_INVALID);
    passes(without(log, 14, again));
  }

  /// A statement does not say that a head was compared which lies below the log's start.
  @Test
  void aHeadFromBelowIsComparedAtTheEnd() throws Exception {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    AuditStatements statements =
        new AuditStatements(folder.resolve("below"), auditor, Duration.ZERO);
    ReferenceLedger log = purged().append(FIXTURES.single(9)).seal();
    AuditOptions trusting = Logs.OPTIONS.withTrustedHead(AuditorTest.head(4, log.root(4)));
    Purged cut =
        new Purged(
            MemoryLog.of(log).with(12, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED)),
            left(log).start(),
            8);
    assertThat(Logs.AUDITOR.audit(log.strand(), cut, trusting, statements).firstFault())
        .isPresent();
    assertThatThrownBy(() -> Logs.AUDITOR.audit(log.strand(), left(log), trusting, statements))
        .isInstanceOfSatisfying(
            StatementException.class,
            e -> assertThat(e.reason()).isEqualTo(StatementException.Reason.HEAD_NOT_COMPARED));
    AuditStatements whole = new AuditStatements(folder.resolve("whole"), auditor, Duration.ZERO);
    assertThat(Logs.AUDITOR.audit(log.strand(), left(log), trusting, whole).firstFault()).isEmpty();
    assertThat(Logs.AUDITOR.audit(log.strand(), left(log), trusting, whole).firstFault()).isEmpty();
  }

  /// The next purge is judged by what is left, and its snapshot is that of the whole log.
  @Test
  void theNextPurgeIsJudgedByWhatIsLeft() throws Exception {
    ReferenceLedger log = purged().append(FIXTURES.single(9)).seal();
    long later = TIME_MS + PurgeLogs.RECALL_MS + 1_000;
    Snapshot want = snapshot(log, 12);
    AuditedSnapshot made =
        Logs.AUDITOR.snapshot(FIXTURES.strand(), left(log), Logs.OPTIONS, Optional.empty(), 12);
    assertThat(made.snapshot()).contains(want);
    log.at(later).append(purge(content(want), later, ALICE)).seal();
    AuditReport report = passes(left(log));
    assertThat(report.removals().purges()).hasSize(2);
    assertThat(report.removals().purges().getLast().affected()).isEqualTo(kids(ALICE));
    assertThat(passes(without(log, 14, want)).removals().purges())
        .extracting(AuditedRemovals.Purge::jsn)
        .containsExactly(10L, 14L);
    PseudoGenesis second = PseudoGenesis.decode(without(log, 14, want).start().pseudoGenesis());
    assertThat(Snapshot.decode(second.snapshot())).isEqualTo(want);
  }

  /// A purge that was recalled stands in what is left; it may have gone farther, or less far than
  /// what is known.
  @Test
  void aPurgeThatWasRecalledIsJudgedAsFarAsItsSnapshotIsKnown() {
    for (int recalled : new int[] {4, 10}) {
      ReferenceLedger log = sample();
      log.append(purge(snapshot(log, recalled), ALICE, BOB)).seal();
      log.append(recall(10, TIME_MS, ALICE)).seal();
      Snapshot kept = snapshot(log, 8);
      log.append(purge(kept, ALICE, BOB)).seal();
      assertThat(passes(without(log, 14, kept)).removals().purges())
          .as("up to %d", recalled)
          .extracting(AuditedRemovals.Purge::recalledJsn)
          .containsExactly(12L, -1L);
    }
  }

  @Test
  void aHeadOfTheSizeAtWhichItBeginsIsCompared() {
    ReferenceLedger log = purged();
    AuditOptions right = Logs.OPTIONS.withTrustedHead(AuditorTest.head(8, log.root(8)));
    assertThat(audit(left(log), right).firstFault()).isEmpty();
    AuditOptions wrong = Logs.OPTIONS.withTrustedHead(AuditorTest.head(8, log.root(6)));
    AuditFault fault = audit(left(log), wrong).firstFault().orElseThrow();
    assertThat(fault.kind()).isEqualTo(FaultKind.TRUSTED_HEAD_CONTRADICTED);
    assertThat(fault.jsn()).isEqualTo(7);
  }

  /// The receipt of the purge is under a head of a second history.
  @Test
  void theHeadsThatItBeginsWithAreItsOwn() {
    ReferenceLedger log = purged();
    Purged other = left(log.copy().append(FIXTURES.single(9)).seal());
    ReferenceLedger mine = log.copy().append(FIXTURES.single(10)).seal();
    passes(left(mine));
    faulty(left(mine).with(other.start()), 13, FaultKind.PSEUDO_GENESIS_INVALID);
  }
}

package io.tallystick.audit;

import static io.tallystick.audit.RemovalLogs.FIXTURES;
import static io.tallystick.audit.RemovalLogs.assertFault;
import static io.tallystick.audit.RemovalLogs.audit;
import static io.tallystick.audit.RemovalLogs.clue;
import static io.tallystick.audit.RemovalLogs.erased;
import static io.tallystick.audit.RemovalLogs.grant;
import static io.tallystick.audit.RemovalLogs.journals;
import static io.tallystick.audit.RemovalLogs.occult;
import static io.tallystick.audit.RemovalLogs.passes;
import static io.tallystick.audit.RemovalLogs.sample;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.replay.ReplayMemory;
import io.tallystick.audit.report.AuditPage;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a body may be gone only if an occult names its journal, and an occult is judged by who
/// signed it and by what it names. Method: logs with occults, and for each rule one that breaks it.
class RemovalAuditTest {
  private static final SeededSigner DORA = SeededSigner.ed25519("dora");

  @TempDir private Path folder;

  /// An occult of 4 and 6 at 11, its seal at 12.
  private static ReferenceLedger occulted() {
    ReferenceLedger log = sample();
    return log.append(occult(log, journals(log, 4, 6))).seal();
  }

  @Test
  void aBodyMayBeGoneThatAnOccultNames() {
    AuditReport report = passes(erased(occulted(), 4, 6));
    assertThat(report.counts().bodiesErased()).isEqualTo(2);
    AuditedRemovals removals = report.removals();
    assertThat(removals)
        .extracting(
            AuditedRemovals::count,
            AuditedRemovals::journals,
            AuditedRemovals::present,
            AuditedRemovals::waiting)
        .containsExactly(1L, 2L, 0L, 0L);
    AuditedRemovals.Occult occult = removals.occults().getFirst();
    assertThat(occult.jsn()).isEqualTo(11);
    assertThat(occult.basis()).isEqualTo("by law");
    assertThat(occult.signers())
        .extracting(AuditedRemovals.Signer::role)
        .containsExactlyInAnyOrder(Role.OWNER, Role.REGULATOR);
    assertThat(occult.gone())
        .containsExactly(new AuditedRemovals.Range(4, 4), new AuditedRemovals.Range(6, 6));
    assertThat(AuditText.of(report))
        .contains("removed  1 occult of 2 journals\n", "at 11 by ", "(4, 6): by law");
    assertThat(AuditPage.of(report)).contains("<h2>Removals</h2>", "2 journals (4, 6)");
    assertThat(AuditSummary.of(report).removals().occults().getFirst().gone())
        .containsExactly(List.of(4L, 4L), List.of(6L, 6L));
  }

  @Test
  void aCopyMayBeOlderThanTheRemoval() {
    AuditReport report = passes(erased(occulted(), 6));
    assertThat(report.removals().present()).isEqualTo(1);
    assertThat(AuditText.of(report)).contains("1 body was still there when it was read");
    assertThat(audit(erased(occulted()), Logs.OPTIONS.withoutBodies()).removals().present())
        .isZero();
  }

  @Test
  void anOccultOfAClueNamesAllItsJournalsInTheRange() {
    ReferenceLedger log = sample();
    log.append(occult(log, clue("a", 4, 4))).seal();
    log.append(occult(log, clue("b", 0, 12))).seal();
    AuditReport report = passes(erased(log, 4, 5, 8));
    assertThat(report.removals().journals()).isEqualTo(3);
    assertThat(report.removals().occults().getLast().gone())
        .containsExactly(new AuditedRemovals.Range(5, 5), new AuditedRemovals.Range(8, 8));
    assertFault(erased(log, 4, 5, 6, 8), 6, FaultKind.BODY_MISSING);
  }

  /// Rows that do not fit in memory are in a file.
  @Test
  void needsNoMemoryForWhatRemovalsCanName() {
    ReferenceLedger log = sample();
    for (int i = 0; i < 3; i++) {
      log.append(FIXTURES.batch(100 + 1_000 * i, 900));
    }
    log.append(FIXTURES.clued(99, "a")).seal();
    int last = log.size() - 2;
    log.append(occult(log, journals(log, 6, 900, 2_700))).seal();
    log.append(occult(log, clue("a", 0, last))).seal();
    AuditOptions none = Logs.OPTIONS.withMemory(new ReplayMemory(0, folder));
    AuditReport report = audit(erased(log, 4, 5, 6, 900, 2_700, last), none);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.removals().journals()).isEqualTo(6);
  }

  @Test
  void namesTheLowestBodyThatIsGoneWithoutAnOccult() {
    assertFault(erased(sample(), 9, 5), 5, FaultKind.BODY_MISSING);
    assertFault(erased(occulted(), 4, 5, 6), 5, FaultKind.BODY_MISSING);
    assertFault(erased(occulted(), 2, 4, 6), 2, FaultKind.BODY_MISSING);
    AuditReport all = audit(erased(occulted(), 4, 5, 6, 9), Logs.OPTIONS.withAllFaults());
    assertThat(all.faults()).extracting(AuditFault::jsn).containsExactly(5L, 9L);
    assertThat(all.checkpointVerified()).isTrue();
    // An occult in the log's own words cannot take itself away.
    assertFault(erased(occulted(), 4, 6, 11), 11, FaultKind.BODY_MISSING);
  }

  @Test
  void saysWhatStillWaitsWhereAnAuditEndsEarly() {
    MemoryLog log =
        erased(sample(), 5).with(9, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
    AuditReport report = audit(log, Logs.OPTIONS);
    assertThat(report.firstFault().orElseThrow().jsn()).isEqualTo(9);
    assertThat(report.removals().waiting()).isEqualTo(1);
    assertThat(AuditText.of(report)).contains("waiting  1 erased body");
  }

  @Test
  void needsAnOwnerAndARegulator() {
    ReferenceLedger log = sample().append(FIXTURES.memberAdd(Role.NORMAL, DORA.publicKey())).seal();
    ErasureTarget target = journals(log, 4);
    long now = Fixtures.TIME_MS;
    assertFault(log, occult(log, target, now, Fixtures.ALICE, DORA), FaultKind.REGULATOR_MISSING);
    assertFault(log, occult(log, target, now, Fixtures.CAROL), FaultKind.ROLE_NOT_ALLOWED);
    assertFault(log, occult(log, target, now, DORA), FaultKind.ROLE_NOT_ALLOWED);
    Submission all = occult(log, target, now, Fixtures.ALICE, Fixtures.CAROL, DORA, Fixtures.BOB);
    passes(MemoryLog.of(log.copy().append(all).seal()));
    for (Role role : List.of(Role.READ_ONLY, Role.VERIFY_ONLY)) {
      ReferenceLedger reader = sample().append(FIXTURES.memberAdd(role, DORA.publicKey())).seal();
      assertFault(
          reader,
          occult(reader, target, now, Fixtures.ALICE, Fixtures.CAROL, DORA),
          FaultKind.ROLE_NOT_ALLOWED);
    }
    ReferenceLedger revoked =
        log.copy().append(FIXTURES.memberRevoke(Fixtures.CAROL.publicKey().kid())).seal();
    assertFault(revoked, occult(revoked, target), FaultKind.REVOKED_SIGNER);
  }

  /// Journal 2, then Carol becomes a regulator at 4, then journal 6.
  private static ReferenceLedger appointed() {
    return ReferenceLedger.found(FIXTURES)
        .append(FIXTURES.clued(1, "a"))
        .seal()
        .append(FIXTURES.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey()))
        .seal()
        .append(FIXTURES.clued(2, "a"))
        .seal();
  }

  @Test
  void aRegulatorCountsForJournalsBehindItsAppointment() {
    ReferenceLedger log = appointed();
    passes(erased(log.copy().append(occult(log, journals(log, 6))).seal(), 6));
    assertFault(log, occult(log, journals(log, 2)), FaultKind.REGULATOR_TOO_NEW);
    assertFault(log, occult(log, journals(log, 2, 6)), FaultKind.REGULATOR_TOO_NEW);
    assertFault(log, occult(log, clue("a", 0, 7)), FaultKind.REGULATOR_TOO_NEW);
    passes(erased(log.copy().append(occult(log, clue("a", 3, 7))).seal(), 6));
  }

  @Test
  void aRegulatorCountsForOlderJournalsAfterThirtyDays() {
    long appointedMs = Fixtures.TIME_MS + 20;
    long fromMs = appointedMs + RemovalLogs.DELAY_MS;
    ReferenceLedger early = appointed().at(fromMs - 1);
    Submission occult =
        occult(early, journals(early, 2), fromMs - 1, Fixtures.ALICE, Fixtures.CAROL);
    assertFault(early, occult, FaultKind.REGULATOR_TOO_NEW);
    passes(erased(early.copy().at(fromMs).append(occult).seal(), 2));
    ReferenceLedger renewed =
        appointed().append(grant(FIXTURES, Role.REGULATOR, Fixtures.CAROL)).seal();
    passes(erased(renewed.at(fromMs).append(occult).seal(), 2));
    ReferenceLedger again =
        appointed()
            .append(grant(FIXTURES, Role.NORMAL, Fixtures.CAROL))
            .append(grant(FIXTURES, Role.REGULATOR, Fixtures.CAROL))
            .seal();
    assertFault(again, occult(again, journals(again, 6)), FaultKind.REGULATOR_TOO_NEW);
    assertFault(again.at(fromMs), occult, FaultKind.REGULATOR_TOO_NEW);
  }

  @Test
  void anotherRegulatorMayCount() {
    ReferenceLedger log = appointed();
    log.append(FIXTURES.memberAdd(Role.REGULATOR, DORA.publicKey())).seal();
    ErasureTarget target = journals(log, 6);
    long now = Fixtures.TIME_MS;
    assertFault(log, occult(log, target, now, Fixtures.ALICE, DORA), FaultKind.REGULATOR_TOO_NEW);
    Submission both = occult(log, target, now, Fixtures.ALICE, DORA, Fixtures.CAROL);
    passes(erased(log.copy().append(both).seal(), 6));
  }

  @Test
  void namesATargetThatMayNotBeOccultedAtTheOccult() {
    ReferenceLedger log = sample();
    for (long jsn : new long[] {0, 1, 2, 7}) {
      assertFault(log, occult(log, journals(log, jsn)), FaultKind.TARGET_INVALID);
    }
    assertFault(log, occult(log, journals(log, 4, 7)), FaultKind.TARGET_INVALID);
    ErasureTarget other =
        new ErasureTarget.Journals(
            List.of(new JournalRef(new Jsn(4), RemovalLogs.ref(log, 5).leafHash())));
    assertFault(log, occult(log, other), FaultKind.TARGET_INVALID);
    ErasureTarget unknown =
        new ErasureTarget.Journals(List.of(new JournalRef(new Jsn(1_000), Digest.ZERO)));
    assertFault(log, occult(log, unknown), FaultKind.TARGET_INVALID);
    for (ErasureTarget clue :
        List.of(clue("a", 6, 10), clue("c", 0, 10), clue("a", 0, 11), clue("a", 0, 1_000))) {
      assertFault(log, occult(log, clue), FaultKind.TARGET_INVALID);
    }
    // An occult is none itself, and the block it stands in is out of its reach.
    ReferenceLedger twice = occulted();
    assertFault(twice, occult(twice, journals(twice, 11)), FaultKind.TARGET_INVALID);
    ReferenceLedger open = sample().append(FIXTURES.clued(9, "a"));
    for (ErasureTarget target : List.of(journals(open, 11), clue("a", 0, 11))) {
      Submission occult = occult(open, target);
      assertFault(MemoryLog.of(open.copy().append(occult).seal()), 12, FaultKind.TARGET_INVALID);
    }
  }

  @Test
  void namesAJournalThatIsOccultedTwiceAtTheSecond() {
    ReferenceLedger log = occulted();
    assertFault(log, occult(log, journals(log, 5, 6)), FaultKind.TARGET_REMOVED);
    assertFault(log, occult(log, clue("a", 0, 10)), FaultKind.TARGET_REMOVED);
    ReferenceLedger open = sample();
    open.append(occult(open, journals(open, 4)));
    Submission again =
        occult(open, journals(open, 4, 5), Fixtures.TIME_MS, Fixtures.BOB, Fixtures.CAROL);
    assertFault(MemoryLog.of(open.append(again).seal()), 12, FaultKind.TARGET_REMOVED);
  }

  @Test
  void aWrongOccultTakesNothingAway() {
    ReferenceLedger log = appointed();
    log.append(occult(log, journals(log, 2))).seal();
    AuditReport report = audit(erased(log, 2), Logs.OPTIONS.withAllFaults());
    assertThat(report.faults())
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(tuple(2L, FaultKind.BODY_MISSING), tuple(8L, FaultKind.REGULATOR_TOO_NEW));
    assertThat(report.removals().count()).isZero();
  }

  @Test
  void aPermanentLedgerTakesNone() {
    Fixtures permanent =
        Fixtures.ledger().withFeatures(Set.of(Feature.CLUE_TRIE, Feature.PERMANENT));
    ReferenceLedger log = sample(permanent);
    passes(MemoryLog.of(log));
    assertFault(log, occult(log, journals(log, 4)), FaultKind.REMOVAL_FORBIDDEN);
    assertFault(erased(log, 4), 4, FaultKind.BODY_MISSING);
  }

  @Test
  void aClueTargetNeedsClues() {
    Fixtures bare = Fixtures.ledger();
    ReferenceLedger log =
        ReferenceLedger.found(bare)
            .append(bare.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey()))
            .seal()
            .append(bare.single(1))
            .seal();
    assertFault(log, occult(log, clue("a", 0, 5)), FaultKind.TARGET_INVALID);
  }

  @Test
  void isStillAllowedBehindTheClosing() {
    ReferenceLedger log = sample();
    log.append(FIXTURES.govern(Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.ALICE, Fixtures.BOB))
        .seal();
    passes(erased(log.copy().append(occult(log, journals(log, 4))).seal(), 4));
  }

  /// The seal's state root holds what the operations commit to, so the values may go.
  @Test
  void valuesOfTheStateMayBeGone() {
    Fixtures fixtures = StateLogs.FIXTURES;
    ReferenceLedger log =
        ReferenceLedger.found(fixtures)
            .append(fixtures.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey()))
            .seal()
            .append(StateLogs.single(1, StateLogs.put("k", "v"), StateLogs.put("l", "w")))
            .append(StateLogs.single(2, StateLogs.put("k", "x")))
            .seal();
    log.append(occult(log, journals(log, 4))).seal();
    AuditReport report = passes(erased(log, 4));
    assertThat(report.counts().operations()).isEqualTo(3);
    assertFault(erased(log, 4, 5), 5, FaultKind.BODY_MISSING);
  }

  @Test
  void savedCopiesAndPublicFilesSayWhatIsErased() throws Exception {
    MemoryLog log = erased(occulted(), 4, 6);
    Path copy = folder.resolve("copy");
    LogCopy.save(log, copy);
    assertThat(passes(new LogCopySource(copy)).removals()).isEqualTo(passes(log).removals());
  }
}

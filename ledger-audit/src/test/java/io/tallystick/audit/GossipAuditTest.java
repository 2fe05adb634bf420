package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.export.TileExport;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditGossip;
import io.tallystick.audit.finding.AuditGossip.Outcome;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.options.GossipOptions;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.report.AuditPage;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.FolderTiles;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.PurgedStart;
import io.tallystick.audit.source.TileLogSource;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.head.ServiceKeys;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Witnesses;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.TestWitness;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an audit hears what others have seen of the log, and says who. Method: the log of the
/// other tests, and another one of the same ledger that the same keys signed.
class GossipAuditTest {
  private static final Fixtures FIXTURES = Logs.FIXTURES;
  private static final TestWitness ONE = TestWitness.of("one.example");
  private static final TestWitness TWO = TestWitness.of("two.example");
  private static final TestWitness THREE = TestWitness.of("three.example");
  private static final long TIME = 1_767_225_600;

  private final ReferenceLedger ledger = Logs.sample();

  /// The same ledger and keys, and another second journal. It has the same size.
  private static ReferenceLedger fork() {
    return ReferenceLedger.found(FIXTURES)
        .append(FIXTURES.single(77))
        .append(FIXTURES.batch(110, 4))
        .seal()
        .append(FIXTURES.batch(120, 8))
        .seal();
  }

  private static Bytes note(ReferenceLedger log, int size, TestWitness... witnesses) {
    Bytes note = log.checkpoint(Fixtures.NOTE, size, log.root(size));
    for (TestWitness each : witnesses) {
      note = Bytes.utf8(each.cosigned(note, TIME));
    }
    return note;
  }

  private static OtherHead other(String name, Bytes content) throws ProofRejectedException {
    return OtherHead.of(name, content, FIXTURES.strand());
  }

  private static AuditReport audit(LogSource log, OtherHead... others) {
    return Logs.audit(
        log, Logs.OPTIONS.withGossip(new GossipOptions(Arrays.asList(others), Optional.empty())));
  }

  /// A log whose source also has a cosigned checkpoint.
  private record Cosigned(LogSource log, Bytes note) implements LogSource {
    @Override
    public LogReader open() throws java.io.IOException, LogFormatException {
      return log.open();
    }

    @Override
    public Optional<Bytes> keyChain() throws java.io.IOException, LogFormatException {
      return log.keyChain();
    }

    @Override
    public Optional<Bytes> cosigned() {
      return Optional.of(note);
    }

    @Override
    public Optional<PurgedStart> purged() throws java.io.IOException, LogFormatException {
      return log.purged();
    }

    @Override
    public Optional<java.io.InputStream> purgedClues()
        throws java.io.IOException, LogFormatException {
      return log.purgedClues();
    }

    @Override
    public Optional<java.io.InputStream> purgedState()
        throws java.io.IOException, LogFormatException {
      return log.purgedState();
    }

    @Override
    public Optional<ConsistencyProof> consistency(long from, long to)
        throws java.io.IOException, LogFormatException {
      return log.consistency(from, to);
    }

    @Override
    public Optional<Bytes> leafHashes(long index, int width)
        throws java.io.IOException, LogFormatException {
      return log.leafHashes(index, width);
    }
  }

  private AuditReport demand(Bytes cosigned) {
    Witnesses two = new Witnesses(List.of(ONE.key(), TWO.key(), THREE.key()), 2);
    return Logs.audit(
        new Cosigned(MemoryLog.of(ledger), cosigned),
        Logs.OPTIONS.withGossip(new GossipOptions(List.of(), Optional.of(two))));
  }

  private static void fails(AuditReport report, long jsn, FaultKind kind, String detail) {
    assertThat(report.faults()).hasSize(1);
    AuditFault fault = report.faults().getFirst();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
    assertThat(fault.jsn()).isEqualTo(jsn);
    assertThat(fault.detail()).contains(detail);
  }

  private static Outcome outcome(AuditReport report, int index) {
    return report.gossip().heads().get(index).outcome();
  }

  @Test
  void aQuorumOfWitnessesIsNamed() {
    AuditReport report = demand(note(ledger, 17, THREE, ONE));
    assertThat(report.faults()).isEmpty();
    AuditGossip.Quorum quorum = report.gossip().quorum().orElseThrow();
    assertThat(quorum.reached()).isTrue();
    assertThat(quorum.size()).isEqualTo(17);
    assertThat(quorum.cosigners())
        .containsExactly(
            new AuditGossip.Cosigner("one.example", TIME * 1000),
            new AuditGossip.Cosigner("three.example", TIME * 1000));
    assertThat(quorum.missing()).containsExactly("two.example");
    String words = "one.example at 2026-01-01T00:00:00Z, three.example at 2026-01-01T00:00:00Z";
    assertThat(AuditText.of(report)).contains(words + " cosigned the head of size 17");
    assertThat(AuditPage.of(report)).contains(words);
    assertThat(AuditSummary.of(report).gossip()).isEqualTo(report.gossip());
  }

  @Test
  void anOlderCosignedHeadOfTheLogIsEnough() {
    AuditReport report = demand(note(ledger, 13, ONE, TWO));
    assertThat(report.faults()).isEmpty();
    assertThat(report.gossip().quorum().orElseThrow().size()).isEqualTo(13);
  }

  @Test
  void tooFewWitnessesFailTheAudit() {
    AuditReport report = demand(note(ledger, 17, TWO, TestWitness.of("four.example")));
    fails(report, 16, FaultKind.HEAD_NOT_WITNESSED, "missing: one.example, three.example");
    assertThat(AuditText.of(report)).contains("TOO FEW: 1 of the demanded witnesses");
    fails(demand(note(ledger, 17)), 16, FaultKind.HEAD_NOT_WITNESSED, "0 of");
  }

  @Test
  void witnessesOfAnotherHistoryAreNoQuorum() {
    AuditReport report = demand(note(fork(), 17, ONE, TWO, THREE));
    assertThat(report.faults().stream().map(AuditFault::kind))
        .containsExactly(FaultKind.OTHER_HEAD_CONTRADICTED, FaultKind.HEAD_NOT_WITNESSED);
  }

  @Test
  void aCosignatureThatDoesNotHoldFailsTheAudit() {
    String note = TWO.cosigned(note(ledger, 17, ONE), TIME);
    String moved = TWO.cosigned(note(ledger, 13, ONE), TIME);
    String bent =
        note.substring(0, note.lastIndexOf('—')) + moved.substring(moved.lastIndexOf('—'));
    AuditReport report = demand(Bytes.utf8(bent));
    assertThat(outcome(report, 0)).isEqualTo(Outcome.INVALID);
    assertThat(report.firstFault().orElseThrow().kind()).isEqualTo(FaultKind.HEAD_INVALID);
  }

  @Test
  void aBadCosignatureHidesNoFork() {
    String note = TWO.cosigned(note(fork(), 17, ONE), TIME);
    String moved = TWO.cosigned(note(fork(), 13, ONE), TIME);
    String bent =
        note.substring(0, note.lastIndexOf('—')) + moved.substring(moved.lastIndexOf('—'));
    AuditReport report = demand(Bytes.utf8(bent));
    assertThat(outcome(report, 0)).isEqualTo(Outcome.CONTRADICTED);
    assertThat(report.heard().getFirst().statement()).contains(Bytes.utf8(bent));
  }

  @Test
  void aSourceThatShowsLessThanItsOwnCosignedHeadRolledBack() throws Exception {
    ReferenceLedger longer = Logs.sample().append(FIXTURES.single(50)).seal();
    AuditReport report = demand(note(longer, 19, ONE, TWO));
    assertThat(outcome(report, 0)).isEqualTo(Outcome.CONTRADICTED);
    AuditFault fault = report.firstFault().orElseThrow();
    assertThat(fault.kind()).isEqualTo(FaultKind.OTHER_HEAD_CONTRADICTED);
    assertThat(fault.jsn()).isEqualTo(16);
    assertThat(fault.detail()).contains("size 19: the log ends at size 17");
    assertThat(audit(MemoryLog.of(ledger), other("a", note(longer, 19))).faults())
        .as("somebody else may know more")
        .isEmpty();

    Bytes forged = longer.checkpoint(Fixtures.NEXT_NOTE, 19, longer.root(19));
    report = demand(forged);
    assertThat(outcome(report, 0)).isEqualTo(Outcome.INVALID);
    assertThat(report.firstFault().orElseThrow().kind()).isEqualTo(FaultKind.HEAD_INVALID);
  }

  @Test
  void aHeadOfNoPossibleSizeIsRefusedAndHidesNoOther() throws Exception {
    Bytes empty = ledger.checkpoint(Fixtures.NOTE, 0, Digest.ZERO);
    Bytes huge = ledger.checkpoint(Fixtures.NOTE, (1L << 62) + 1, Digest.ZERO);
    for (Bytes note : List.of(empty, huge)) {
      assertThatThrownBy(() -> other("odd", note))
          .isInstanceOf(ProofRejectedException.class)
          .extracting(e -> ((ProofRejectedException) e).reason())
          .isEqualTo(Reason.SIZE_OUT_OF_RANGE);
    }
    fails(demand(empty), 0, FaultKind.HEAD_INVALID, "SIZE_OUT_OF_RANGE");
    OtherHead odd =
        new OtherHead("odd", Optional.of(empty), new TreeSize(0), new JournalRoot(Digest.ZERO));
    AuditReport report = audit(MemoryLog.of(ledger), odd, other("theirs", note(fork(), 17)));
    assertThat(outcome(report, 1)).isEqualTo(Outcome.CONTRADICTED);
  }

  @Test
  void headsOfTheSameLogAreContainedAndLargerOnesNotJudged() throws Exception {
    ReferenceLedger longer = Logs.sample().append(FIXTURES.single(50)).seal();
    Bytes statement =
        HeadSignature.sign(
                Fixtures.RECEIPT,
                FIXTURES.params().authority(),
                FIXTURES.strand(),
                new TreeSize(8),
                new JournalRoot(ledger.root(8)))
            .statement(new JournalRoot(ledger.root(8)))
            .encode();
    AuditReport report =
        audit(
            MemoryLog.of(ledger),
            other("a.note", note(ledger, 17)),
            other("b.cose", statement),
            other("c.note", note(ledger, 2)),
            other("d.note", note(longer, 19)));
    assertThat(report.faults()).isEmpty();
    assertThat(report.gossip().heads().stream().map(AuditGossip.Head::outcome))
        .containsExactly(Outcome.CONTAINED, Outcome.CONTAINED, Outcome.CONTAINED, Outcome.LARGER);
    assertThat(AuditText.of(report))
        .contains("a.note, size 17: the log contains it")
        .contains("d.note, size 19: NOT JUDGED: the log was read up to size 17");
  }

  @Test
  void anotherHistoryContradictsTheLogAndConvictsTheService() throws Exception {
    assertThat(Logs.audit(fork()).faults()).as("nothing else can tell").isEmpty();
    OtherHead theirs = other("theirs.note", note(fork(), 17));
    AuditReport report = audit(MemoryLog.of(ledger), other("two", note(fork(), 2)), theirs);
    fails(report, 16, FaultKind.OTHER_HEAD_CONTRADICTED, "in theirs.note it is " + fork().root());
    assertThat(outcome(report, 0)).isEqualTo(Outcome.CONTAINED);
    assertThat(outcome(report, 1)).isEqualTo(Outcome.CONTRADICTED);
    Bytes ours = report.signed().orElseThrow().evidence().encoded();
    ServiceKeys keys =
        new ServiceKeys(
            FIXTURES.params().authority(),
            FIXTURES.params().noteKey(),
            FIXTURES.params().receiptKey());
    assertThat(
            new ForkEvidence(ours, theirs.statement().orElseThrow(), Optional.empty())
                .confirm(FIXTURES.strand(), keys, SignatureProviders.best())
                .reason())
        .isEqualTo(Reason.FORK);
    assertThat(AuditPage.of(report)).contains("Heads of others").contains("CONTRADICTED");
  }

  @Test
  void aHeadThatTheServiceDidNotSignIsInvalid() throws Exception {
    Bytes forged = ledger.checkpoint(Fixtures.NEXT_NOTE, 13, Digest.ZERO);
    fails(
        audit(MemoryLog.of(ledger), other("forged.note", forged)),
        12,
        FaultKind.HEAD_INVALID,
        "forged.note: ");
    assertThatThrownBy(() -> other("no.head", Bytes.utf8("no head")))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("no.head: ");
  }

  @Test
  void anotherAuditorsStatementIsItsWord(@TempDir Path folder) throws Exception {
    AuditStatements statements = new AuditStatements(folder, Fixtures.ALICE, Duration.ZERO);
    Logs.AUDITOR.audit(FIXTURES.strand(), MemoryLog.of(fork()), Logs.OPTIONS, statements);
    OtherHead word =
        other("them.audit", Bytes.wrap(Files.readAllBytes(statements.file(FIXTURES.strand()))));
    assertThat(word.statement()).isEmpty();
    AuditReport report = audit(MemoryLog.of(ledger), word);
    fails(report, 16, FaultKind.OTHER_HEAD_CONTRADICTED, "them.audit");
    assertThat(AuditText.of(report)).contains("another auditor's word");
    assertThat(audit(MemoryLog.of(fork()), word).faults()).isEmpty();
  }

  @Test
  void aHeadBeforeAStatementIsNotJudged(@TempDir Path folder) throws Exception {
    AuditStatements statements = new AuditStatements(folder, Fixtures.ALICE, Duration.ZERO);
    Logs.AUDITOR.audit(FIXTURES.strand(), MemoryLog.of(ledger), Logs.OPTIONS, statements);
    ReferenceLedger longer = Logs.sample().append(FIXTURES.single(50)).seal();
    GossipOptions gossip =
        new GossipOptions(
            List.of(
                other("before", note(ledger, 13)),
                other("at", note(ledger, 17)),
                other("behind", note(longer, 19))),
            Optional.empty());
    AuditReport report =
        Logs.AUDITOR.audit(
            FIXTURES.strand(), MemoryLog.of(longer), Logs.OPTIONS.withGossip(gossip), statements);
    assertThat(report.resumedFrom()).isEqualTo(17);
    assertThat(report.gossip().heads().stream().map(AuditGossip.Head::outcome))
        .containsExactly(Outcome.NOT_JUDGED, Outcome.CONTAINED, Outcome.CONTAINED);
  }

  @Test
  void anExportKeepsTheCosignedCheckpoint(@TempDir Path home) throws Exception {
    Path folder = home.resolve("log");
    export(new Cosigned(MemoryLog.of(ledger), note(ledger, 13, ONE, TWO)), folder);
    Witnesses both = new Witnesses(List.of(ONE.key(), TWO.key()), 2);
    AuditReport report =
        Logs.audit(
            new TileLogSource(new FolderTiles(folder), true),
            Logs.OPTIONS.withGossip(new GossipOptions(List.of(), Optional.of(both))));
    assertThat(report.faults()).isEmpty();
    assertThat(report.gossip().quorum().orElseThrow().size()).isEqualTo(13);

    Path plain = home.resolve("plain");
    export(new Cosigned(MemoryLog.of(ledger), note(ledger, 17)), plain);
    assertThat(plain.resolve("checkpoint")).exists();
    assertThat(plain.resolve("checkpoint.cosigned")).doesNotExist();

    Path forked = home.resolve("forked");
    assertThatThrownBy(
            () -> export(new Cosigned(MemoryLog.of(ledger), note(fork(), 17, ONE)), forked))
        .isInstanceOf(ProofRejectedException.class)
        .extracting(e -> ((ProofRejectedException) e).reason())
        .isEqualTo(Reason.FORK);
    assertThat(forked.resolve("checkpoint")).doesNotExist();
  }

  @Test
  void anExportRefusesACosignedCheckpointBeyondTheLog(@TempDir Path home) throws Exception {
    ReferenceLedger longer = Logs.sample().append(FIXTURES.single(50)).seal();
    Bytes signed = note(longer, 19, ONE);
    Bytes forged =
        Bytes.utf8(ONE.cosigned(longer.checkpoint(Fixtures.NEXT_NOTE, 19, Digest.ZERO), TIME));
    refusesToExport(home.resolve("rollback"), signed, Reason.ROLLBACK);
    refusesToExport(home.resolve("forged"), forged, Reason.WRONG_KEY);
  }

  private void refusesToExport(Path folder, Bytes cosigned, Reason reason) {
    assertThatThrownBy(() -> export(new Cosigned(MemoryLog.of(ledger), cosigned), folder))
        .isInstanceOf(ProofRejectedException.class)
        .extracting(e -> ((ProofRejectedException) e).reason())
        .isEqualTo(reason);
    assertThat(folder.resolve("checkpoint")).doesNotExist();
    assertThat(folder.resolve("checkpoint.cosigned")).doesNotExist();
  }

  private static void export(LogSource log, Path folder) throws Exception {
    try (TileExport export =
        new TileExport(folder, true, SignatureProviders.best(), AuditProgress.NONE)) {
      export.write(FIXTURES.strand(), log);
    }
  }
}

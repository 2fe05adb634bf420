package io.tallystick.audit.history;

import static io.tallystick.audit.RemovalLogs.FIXTURES;
import static io.tallystick.audit.RemovalLogs.journals;
import static io.tallystick.audit.RemovalLogs.occult;
import static io.tallystick.audit.RemovalLogs.sample;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.AuditStatements;
import io.tallystick.audit.AuditedSnapshot;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.PurgeLogs;
import io.tallystick.audit.RemovalLogs;
import io.tallystick.audit.TimeLogs;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.source.LogSource;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceEntry;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the snapshot that the auditor makes is that of the page, whether it audited in one run or
/// in two. Method: each of its parts by its definition, from the log itself.
class ReplayedSnapshotBuilderTest {
  private static final Digest ALICE = Fixtures.ALICE.publicKey().kid();
  private static final Digest BOB = Fixtures.BOB.publicKey().kid();
  private static final SeededSigner DORA = SeededSigner.ed25519("dora");
  private static final SeededSigner EVE = SeededSigner.ed25519("eve");
  private static final SeededSigner FAY = SeededSigner.ed25519("fay");

  @TempDir private Path folder;

  private static Submission replace(Role role, Signer member, Digest replaced, Signer... signers) {
    return FIXTURES.govern(
        Kind.GRANT,
        new Extension.Grant(
            role,
            member.publicKey(),
            OptionalLong.empty(),
            Optional.of(replaced),
            false,
            Optional.empty()),
        signers);
  }

  /// Alice, Dora and Eve sign journals; Dora signs that Fay replaces her, Eve is replaced by nobody
  /// she signed for. Bob and Carol sign no journal.
  private static ReferenceLedger log() {
    ReferenceLedger log = sample();
    log.append(FIXTURES.memberAdd(Role.NORMAL, DORA.publicKey()))
        .append(FIXTURES.memberAdd(Role.NORMAL, EVE.publicKey()))
        .seal()
        .append(FIXTURES.submission(FIXTURES.request(50), DORA))
        .append(FIXTURES.submission(FIXTURES.requests(60, 3), EVE))
        .append(occult(log, journals(log, 4)))
        .seal()
        .append(replace(Role.NORMAL, FAY, DORA.publicKey().kid(), Fixtures.ALICE, DORA))
        .append(
            replace(
                Role.NORMAL, SeededSigner.ed25519("gil"), EVE.publicKey().kid(), Fixtures.ALICE))
        .seal();
    TimeLogs.anchor(log, log.size(), Optional.empty(), Fixtures.TIME_MS + 70).seal();
    return log.append(FIXTURES.single(70)).seal();
  }

  private static AuditedSnapshot made(LogSource log, long firstKept) throws Exception {
    return Logs.AUDITOR.snapshot(FIXTURES.strand(), log, Logs.OPTIONS, Optional.empty(), firstKept);
  }

  private static AuditedSnapshot made(LogSource log, long firstKept, AuditStatements statements)
      throws Exception {
    return Logs.AUDITOR.snapshot(
        FIXTURES.strand(), log, Logs.OPTIONS, Optional.of(statements), firstKept);
  }

  private static Snapshot snapshot(ReferenceLedger log, long firstKept) throws Exception {
    return made(MemoryLog.of(log), firstKept).snapshot().orElseThrow();
  }

  @Test
  void keepsGenesisAndGovernanceWithTheirPaths() throws Exception {
    ReferenceLedger log = log();
    int size = log.size();
    Snapshot snapshot = snapshot(log, size);
    List<Integer> jsns = new ArrayList<>();
    for (Snapshot.Kept kept : snapshot.kept()) {
      int jsn = (int) Leaf.decode(kept.leaf()).jsn().value();
      ReferenceEntry entry = log.entries().get(jsn);
      assertThat(kept.leaf()).isEqualTo(entry.leaf());
      assertThat(kept.attestation()).isEqualTo(entry.attestation());
      new InclusionProof(jsn, size, kept.path())
          .verify(TreeHasher.leafHash(kept.leaf()), new JournalRoot(log.root()));
      jsns.add(jsn);
    }
    assertThat(jsns).containsExactly(0, 2, 11, 12, 18, 20, 21, 23);
    assertThat(TreeHasher.foldRight(snapshot.frontier())).isEqualTo(log.root(size - 1));
    assertThat(snapshot.seal()).isEqualTo(log.entries().getLast().leaf());
    assertThat(snapshot.genesisParams()).isEqualTo(FIXTURES.params().encode());
    assertThat(Snapshot.decode(snapshot.encode())).isEqualTo(snapshot);
  }

  @Test
  void followsWhoIsAffectedToASuccessorThatTheOldKeySignedFor() throws Exception {
    assertThat(snapshot(log(), log().size()).affected())
        .containsExactlyInAnyOrder(ALICE, FAY.publicKey().kid(), EVE.publicKey().kid())
        .isSorted();
    assertThat(snapshot(log(), 11).affected()).containsExactly(ALICE).doesNotContain(BOB);
  }

  @Test
  void findsWhomAPurgeCallsAbsent() throws Exception {
    ReferenceLedger log = log();
    AuditedSnapshot made = made(MemoryLog.of(log), log.size());
    Snapshot snapshot = made.snapshot().orElseThrow();
    List<Digest> absent = List.of(snapshot.affected().getFirst(), snapshot.affected().getLast());
    Extension.Purge purge = PurgeLogs.content(snapshot.withAbsent(absent));
    made.verify(purge, absent);
    assertThat(made.absentIn(purge)).contains(absent);
    assertThat(made.absentIn(PurgeLogs.content(snapshot))).contains(List.of());
    Extension.Purge other =
        new Extension.Purge(purge.firstKept(), purge.height(), Digest.ZERO, purge.recallMs());
    assertThat(made.absentIn(other)).isEmpty();
  }

  @Test
  void theWindowIsOfAllSignaturesThatCouldBeUsedAgain() throws Exception {
    ReferenceLedger log = log();
    int signatures = 0;
    for (ReferenceEntry entry : log.entries().subList(2, log.size())) {
      if (!entry.attestation().isEmpty()) {
        signatures += Attestation.decode(entry.attestation(), Kind.PURGE).signatures().size();
      }
    }
    Snapshot snapshot = snapshot(log, log.size());
    assertThat(snapshot.windowCount()).isEqualTo(signatures);
    long lateMs = Fixtures.TIME_MS + Duration.ofDays(40).toMillis();
    SignedRequest late =
        RequestDraft.append(
                FIXTURES.strand(),
                Bytes.utf8("late"),
                "text/plain",
                lateMs,
                Fixtures.bytes32("late"))
            .build();
    log.at(lateMs).append(FIXTURES.submission(late, Fixtures.ALICE)).seal();
    assertThat(snapshot(log, log.size()).windowCount()).isEqualTo(1);
    assertThat(snapshot(log, log.size() - 2).windowCount()).isEqualTo(signatures);
  }

  @Test
  void windowRootIsOverTheEntriesAscending() throws Exception {
    SignatureWindow window = new SignatureWindow(100);
    Snapshot snapshot = snapshot(sample(), 4);
    ReferenceEntry grant = sample().entries().get(2);
    Bytes encoded = grant.request().orElseThrow().header();
    RequestHeader header = RequestHeader.decode(encoded);
    Digest id =
        AttestationVerifier.verify(
                FIXTURES.strand(),
                List.of(header),
                List.of(RequestHeader.hash(encoded)),
                Attestation.decode(grant.attestation()),
                FIXTURES.keys(),
                SignatureProviders.best())
            .getFirst()
            .signatureId();
    window.add(id, 2, header.expiresMs(), Fixtures.TIME_MS);
    Bytes entry = window.open(Fixtures.TIME_MS);
    assertThat(snapshot.windowCount()).isEqualTo(1);
    assertThat(snapshot.windowRoot()).isEqualTo(TreeHasher.leafHash(entry));
    assertThat(entry.slice(0, 16)).isEqualTo(id.toBytes().slice(0, 16));
  }

  @Test
  void thereIsNoneWithinABlockOrOfALogWithAFault() throws Exception {
    assertThat(made(MemoryLog.of(log()), 5).snapshot()).isEmpty();
    assertThat(made(MemoryLog.of(log()), 1_000).snapshot()).isEmpty();
    assertThat(made(MemoryLog.of(log()), 2).snapshot()).as("genesis alone").isEmpty();
    assertThat(made(RemovalLogs.erased(log(), 5), 8).snapshot()).isEmpty();
  }

  @Test
  void isTheSameInTwoRuns() throws Exception {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    ReferenceLedger log = log();
    long size = log.size();
    Snapshot want = snapshot(log, size);
    for (int at : new int[] {2, 11, 14, 20, 23}) {
      AuditStatements statements =
          new AuditStatements(folder.resolve("at" + at), auditor, Duration.ZERO);
      MemoryLog damaged =
          MemoryLog.of(log).with(at, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
      assertThat(made(damaged, size, statements).snapshot()).isEmpty();
      AuditedSnapshot again = made(MemoryLog.of(log), size, statements);
      assertThat(again.report().resumedFrom()).isPositive();
      assertThat(again.snapshot()).contains(want);
      assertThatThrownBy(() -> made(MemoryLog.of(log), size, statements))
          .isInstanceOfSatisfying(
              StatementException.class,
              e -> assertThat(e.reason()).isEqualTo(StatementException.Reason.OTHER_OPTIONS));
    }
  }
}

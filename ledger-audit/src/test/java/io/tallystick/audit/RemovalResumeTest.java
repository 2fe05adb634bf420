package io.tallystick.audit;

import static io.tallystick.audit.RemovalLogs.FIXTURES;
import static io.tallystick.audit.RemovalLogs.clue;
import static io.tallystick.audit.RemovalLogs.erased;
import static io.tallystick.audit.RemovalLogs.journals;
import static io.tallystick.audit.RemovalLogs.occult;
import static io.tallystick.audit.RemovalLogs.sample;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.audit.statement.CheckedStateFile;
import io.tallystick.audit.statement.RemovalFile;
import io.tallystick.audit.statement.StatementCodec;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an audit that goes on from a statement knows which bodies wait, which journals were
/// occulted and what an occult can name, or says why it cannot. Method: audits that end at a
/// damaged body, the next of the right log; the file of removals changed.
class RemovalResumeTest {
  private static final Signer AUDITOR =
      SignatureProviders.best().generate(SignatureAlgorithm.ED25519);

  @TempDir private Path folder;
  private AuditStatements statements;

  @BeforeEach
  void keepStatements() {
    statements = new AuditStatements(folder.resolve("state"), AUDITOR, Duration.ZERO);
  }

  /// Occults at 11 of 4 and at 13 of clue "a", whose other journal is 5; at 15 of 6 and 9.
  private static ReferenceLedger log() {
    ReferenceLedger log = sample();
    log.append(occult(log, journals(log, 4))).seal();
    log.append(occult(log, clue("a", 5, 12))).seal();
    return log.append(occult(log, journals(log, 6, 9))).seal().append(FIXTURES.single(50)).seal();
  }

  private static MemoryLog right() {
    return erased(log(), 4, 5, 9);
  }

  private AuditReport audit(LogSource log) throws Exception {
    return Logs.AUDITOR.audit(FIXTURES.strand(), log, Logs.OPTIONS, statements);
  }

  private void interruptAt(int jsn) throws Exception {
    MemoryLog damaged = right().with(jsn, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
    assertThat(audit(damaged).firstFault()).get().extracting(AuditFault::jsn).isEqualTo((long) jsn);
  }

  private Path file(long size) {
    return statements
        .directory()
        .resolve(FIXTURES.params().ledgerId().hex() + "-0-" + size + ".removals");
  }

  private void assertRefused(Reason reason) {
    assertThatThrownBy(() -> audit(right()))
        .isInstanceOfSatisfying(
            StatementException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void findsTheSameFromEverySealAsWithoutInterruption() throws Exception {
    AuditReport want = RemovalLogs.passes(right());
    assertThat(want.removals())
        .extracting(AuditedRemovals::count, AuditedRemovals::present)
        .containsExactly(3L, 1L);
    for (int jsn : new int[] {2, 8, 11, 13, 15, 17}) {
      Files.deleteIfExists(statements.file(FIXTURES.strand()));
      interruptAt(jsn);
      AuditReport report = audit(right());
      assertThat(report.resumedFrom()).isEqualTo(jsn);
      assertThat(report)
          .usingRecursiveComparison()
          .ignoringFields("age", "elapsed", "resumedFrom")
          .isEqualTo(want);
    }
  }

  @Test
  void rulesHoldOverASeal() throws Exception {
    interruptAt(17);
    ReferenceLedger twice = log();
    twice.append(occult(twice, journals(twice, 5, 8))).seal();
    assertFault(erased(twice, 4, 5, 9), 19, FaultKind.TARGET_REMOVED);
    ReferenceLedger other = log();
    other.append(occult(other, clue("b", 6, 18))).seal();
    assertThat(audit(erased(other, 4, 5, 9)).firstFault()).isEmpty();
    assertThat(audit(erased(other, 4, 5, 9)).resumedFrom()).isEqualTo(21);
  }

  /// 6 is gone and waits; no occult comes.
  @Test
  void whatWaitsIsCarriedToTheEnd() throws Exception {
    ReferenceLedger log = sample().append(FIXTURES.single(50)).seal();
    MemoryLog damaged =
        erased(log, 6).with(11, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
    assertThat(audit(damaged).firstFault()).get().extracting(AuditFault::jsn).isEqualTo(11L);
    assertFault(erased(log, 6), 6, FaultKind.BODY_MISSING);
    // The occult comes once the log has grown.
    log.append(occult(log, journals(log, 6))).seal();
    AuditReport report = audit(erased(log, 6));
    assertThat(report.resumedFrom()).isGreaterThan(10);
    assertThat(report.firstFault()).isEmpty();
  }

  private void assertFault(MemoryLog log, long jsn, FaultKind kind) throws Exception {
    assertThat(audit(log).firstFault())
        .get()
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(jsn, kind);
  }

  @Test
  void saysWhichFileIsMissingOrDamaged() throws Exception {
    interruptAt(15);
    byte[] right = Files.readAllBytes(file(15));
    for (int at = 0; at < right.length; at += 211) {
      byte[] other = right.clone();
      other[at] ^= 1;
      Files.write(file(15), other);
      assertRefused(Reason.REMOVALS_DAMAGED);
    }
    Files.write(file(15), Arrays.copyOf(right, right.length - 1));
    assertRefused(Reason.REMOVALS_DAMAGED);
    Files.delete(file(15));
    assertRefused(Reason.REMOVALS_MISSING);
    Files.write(file(15), right);
    assertThat(audit(right()).resumedFrom()).isEqualTo(15);
    assertThat(Files.exists(file(15))).isFalse();
    assertThat(Files.exists(file(19))).isTrue();
  }

  /// As an auditor before version 6 left it: no leaf below its size is known.
  @Test
  void judgesNoOccultOfWhatAnOlderAuditorAudited() throws Exception {
    interruptAt(11);
    AuditStatement known =
        statements.read(FIXTURES.strand(), Logs.OPTIONS, SignatureProviders.best()).orElseThrow();
    AuditStatement older =
        new AuditStatement(
            known.strand(),
            known.checks(),
            known.genesis(),
            known.head(),
            known.members(),
            known.counts(),
            known.faultCount(),
            known.faults(),
            known.compared(),
            known.clueTrieFrom(),
            known.stateFile(),
            known.madeMs(),
            known.window(),
            known.trust(),
            AuditStatement.Removals.behind(known.head()));
    Path statement = statements.file(FIXTURES.strand());
    byte[] bytes = StatementCodec.encode(older, AUDITOR).toArray();
    Files.write(statement, bytes);
    assertThatThrownBy(() -> audit(right())).isInstanceOf(AuditLimitException.class);
    Files.write(statement, bytes);
    ReferenceLedger log = sample().append(FIXTURES.single(60)).seal();
    log.append(occult(log, journals(log, 11))).seal();
    assertThat(audit(erased(log, 11)).firstFault()).isEmpty();
  }

  /// A content of one byte.
  private record Marked() implements RemovalFile.Content {
    @Override
    public void writeTo(DataOutputStream out) throws IOException {
      out.write(1);
    }

    @Override
    public void readFrom(DataInputStream in) throws IOException {
      assertThat(in.read()).isEqualTo(1);
    }
  }

  @Test
  void refusesALaterVersionOfTheFileAndWhatStandsBehindItsEnd() throws Exception {
    RemovalFile file = new RemovalFile(folder, "x-");
    Digest hash = file.write(3, new Marked());
    file.read(3, new Marked(), hash);
    Path path = folder.resolve("x-3.removals");
    byte[] right = Files.readAllBytes(path);
    assertThat(right).hasSize(13);
    Files.write(path, Arrays.copyOf(right, 14));
    assertRefused(file, path, Reason.REMOVALS_DAMAGED);
    right[11] = 3;
    Files.write(path, right);
    assertRefused(file, path, Reason.NEWER_VERSION);
  }

  private static void assertRefused(RemovalFile file, Path path, Reason reason) {
    assertThatThrownBy(() -> file.read(3, new Marked(), CheckedStateFile.hash(path)))
        .isInstanceOfSatisfying(
            StatementException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void theStatementHoldsTheOccultsSoFar() throws Exception {
    interruptAt(13);
    Bytes statement = Bytes.wrap(Files.readAllBytes(statements.file(FIXTURES.strand())));
    AuditStatement.Removals removals =
        StatementCodec.decode(statement, AUDITOR.publicKey(), SignatureProviders.best()).removals();
    assertThat(removals.occults())
        .extracting(AuditedRemovals.Occult::jsn, AuditedRemovals.Occult::timeMs)
        .containsExactly(tuple(11L, Fixtures.TIME_MS + 40));
    assertThat(removals.firstJsn()).isZero();
    assertThat(removals.file()).isPresent();
  }
}

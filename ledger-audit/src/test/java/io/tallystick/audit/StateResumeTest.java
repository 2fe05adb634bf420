package io.tallystick.audit;

import static io.tallystick.audit.StateLogs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.audit.source.LogSource;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.ReferenceLedger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an audit of a log with a state goes on from a statement with the very state there was, the
/// fold included, or says why it cannot. Method: audits that end at a damaged body, the next of the
/// right log; the file of the state changed. The short form ends at every sixteenth seal or so.
class StateResumeTest {
  private static final Signer AUDITOR =
      SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
  private static final long SEED = 20_261_126;
  private static final int STEP_MAX = Effort.of(32, 8);

  @TempDir private Path folder;
  private AuditStatements statements;

  @BeforeEach
  void keepStatements() {
    statements = new AuditStatements(folder.resolve("state"), AUDITOR, Duration.ZERO);
  }

  private AuditReport audit(LogSource log) throws Exception {
    return Logs.AUDITOR.audit(FIXTURES.strand(), log, Logs.OPTIONS, statements);
  }

  /// Leaves the statement of the last seal before `jsn`.
  private void interruptAt(ReferenceLedger ledger, int jsn) throws Exception {
    MemoryLog damaged =
        MemoryLog.of(ledger).with(jsn, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
    assertThat(audit(damaged).firstFault()).get().extracting(AuditFault::jsn).isEqualTo((long) jsn);
  }

  private List<String> files() throws Exception {
    try (var files = Files.list(statements.directory())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static String strand() {
    return FIXTURES.params().ledgerId().hex() + "-0";
  }

  private Path state(long size) {
    return statements.directory().resolve(strand() + "-" + size + ".state");
  }

  @Test
  void findsTheSameFromAnySealAsWithoutInterruption() throws Exception {
    ReferenceLedger ledger = StateLogs.folding(100, SEED);
    AuditReport want = StateLogs.audit(ledger);
    assertThat(want.faults()).isEmpty();
    SplittableRandom random = new SplittableRandom(SEED);
    for (int at = 2; at < ledger.size() - 2; at += 2 * random.nextInt(1, STEP_MAX)) {
      int jsn = at < StateLogs.SIZE ? 2 : StateLogs.SIZE + (at - StateLogs.SIZE) / 2 * 2;
      interruptAt(ledger, jsn);
      AuditReport report =
          Logs.AUDITOR.audit(
              FIXTURES.strand(), MemoryLog.of(ledger), Logs.OPTIONS, copyOfStatement(jsn));
      assertThat(report.resumedFrom()).isEqualTo(jsn);
      assertThat(report)
          .as("resumed at %d", jsn)
          .usingRecursiveComparison()
          .ignoringFields("age", "elapsed", "resumedFrom")
          .isEqualTo(want);
    }
  }

  /// One that is not written over: the next audit goes on from the statement itself.
  private AuditStatements copyOfStatement(int jsn) throws Exception {
    Path copy = Files.createDirectory(folder.resolve("at-" + jsn));
    for (String name : files()) {
      Files.copy(statements.directory().resolve(name), copy.resolve(name));
    }
    return new AuditStatements(copy, AUDITOR, Duration.ofDays(1));
  }

  @Test
  void goesOnWhereTheLogHasGrownAndFindsALie() throws Exception {
    assertThat(audit(MemoryLog.of(StateLogs.sample())).faults()).isEmpty();
    ReferenceLedger grown =
        StateLogs.sample()
            .append(StateLogs.single(40, StateLogs.put("a", "x", StateLogs.version(9))))
            .seal();
    AuditReport report = audit(MemoryLog.of(grown));
    assertThat(report.resumedFrom()).isEqualTo(StateLogs.SIZE);
    assertThat(report.faults()).isEmpty();
    assertThat(report.counts().operations()).isEqualTo(StateLogs.OPERATIONS + 1);
    grown.append(StateLogs.single(41, StateLogs.put("a", "y", StateLogs.ABSENT))).seal();
    assertThat(audit(MemoryLog.of(grown)).firstFault())
        .get()
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(17L, FaultKind.PRECONDITION_IGNORED);
  }

  @Test
  void keepsOneFileOfTheStateBesideTheStatement() throws Exception {
    ReferenceLedger ledger = StateLogs.sample();
    interruptAt(ledger, 2);
    assertThat(files())
        .as("no operation yet")
        .containsExactly(strand() + "-2.removals", strand() + ".audit");
    interruptAt(ledger, 5);
    assertThat(files())
        .containsExactly(strand() + "-5.removals", strand() + "-5.state", strand() + ".audit");
    Files.createFile(statements.directory().resolve(strand() + "-9.state.tmp"));
    interruptAt(ledger, 13);
    assertThat(files())
        .containsExactly(
            strand() + "-13.clues",
            strand() + "-13.removals",
            strand() + "-13.state",
            strand() + ".audit");
  }

  @Test
  void refusesToGoOnWithoutItsState() throws Exception {
    interruptAt(StateLogs.sample(), 13);
    Files.delete(state(13));
    assertRefused(Reason.STATE_MISSING);
  }

  @Test
  void refusesAStateThatWasChangedInAnyWay() throws Exception {
    interruptAt(StateLogs.sample(), 13);
    byte[] right = Files.readAllBytes(state(13));
    for (int at = 0; at < right.length; at += 3) {
      byte[] wrong = right.clone();
      wrong[at] ^= 1;
      Files.write(state(13), wrong);
      assertRefused(Reason.STATE_DAMAGED);
      Files.write(state(13), Arrays.copyOf(right, at));
      assertRefused(Reason.STATE_DAMAGED);
    }
    Files.write(state(13), Arrays.copyOf(right, right.length + 1));
    assertRefused(Reason.STATE_DAMAGED);
    Files.write(state(13), right);
    assertThat(audit(MemoryLog.of(StateLogs.sample())).resumedFrom()).isEqualTo(13);
  }

  @Test
  void refusesTheStateOfAnotherSize() throws Exception {
    interruptAt(StateLogs.sample(), 13);
    byte[] later = Files.readAllBytes(state(13));
    Files.delete(statements.file(FIXTURES.strand()));
    interruptAt(StateLogs.sample(), 5);
    Files.write(state(5), later);
    assertRefused(Reason.STATE_DAMAGED);
  }

  private void assertRefused(Reason reason) {
    assertThatThrownBy(() -> audit(MemoryLog.of(StateLogs.sample())))
        .isInstanceOfSatisfying(
            StatementException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}

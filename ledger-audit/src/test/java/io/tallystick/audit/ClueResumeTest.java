package io.tallystick.audit;

import static io.tallystick.audit.ClueLogs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.source.LogSource;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.SealLeaf;
import io.tallystick.testkit.ReferenceLedger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an audit of a log with clues goes on from a statement with the very clues there were, or
/// says why it cannot. Method: audits that end at a damaged body, the next of the right log; the
/// file of clues changed in every byte.
class ClueResumeTest {
  private static final Signer AUDITOR =
      SignatureProviders.best().generate(SignatureAlgorithm.ED25519);

  @TempDir private Path folder;
  private AuditStatements statements;

  @BeforeEach
  void keepStatements() {
    statements = new AuditStatements(folder.resolve("state"), AUDITOR, Duration.ZERO);
  }

  private AuditReport audit(LogSource log) throws Exception {
    return audit(log, Logs.OPTIONS);
  }

  private AuditReport audit(LogSource log, AuditOptions options) throws Exception {
    return Logs.AUDITOR.audit(FIXTURES.strand(), log, options, statements);
  }

  /// Leaves the statement of the last seal before `jsn`.
  private void interruptAt(int jsn) throws Exception {
    MemoryLog damaged =
        MemoryLog.of(ClueLogs.sample())
            .with(jsn, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
    assertThat(audit(damaged).firstFault()).get().extracting(AuditFault::jsn).isEqualTo((long) jsn);
  }

  private List<String> files() throws Exception {
    try (var files = Files.list(statements.directory())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private Path clues(long size) {
    return statements.directory().resolve(strand() + "-" + size + ".clues");
  }

  private static String strand() {
    return FIXTURES.params().ledgerId().hex() + "-0";
  }

  @Test
  void findsTheSameFromEverySealAsWithoutInterruption() throws Exception {
    AuditReport want = ClueLogs.audit(ClueLogs.sample());
    for (int jsn : new int[] {2, 6, 11, 13, 16, 18}) {
      Files.deleteIfExists(statements.file(FIXTURES.strand()));
      interruptAt(jsn);
      AuditReport report =
          audit(MemoryLog.of(ClueLogs.sample()), ClueLogs.spilling(folder.resolve("spill")));
      assertThat(report.resumedFrom()).isEqualTo(jsn);
      assertThat(report)
          .usingRecursiveComparison()
          .ignoringFields("age", "elapsed", "resumedFrom")
          .isEqualTo(want);
    }
  }

  @Test
  void keepsOneFileOfCluesBesideTheStatement() throws Exception {
    interruptAt(2);
    assertThat(files())
        .as("no clue yet")
        .containsExactly(strand() + "-2.removals", strand() + ".audit");
    for (int jsn : new int[] {6, 16}) {
      interruptAt(jsn);
      assertThat(files())
          .containsExactly(
              strand() + "-" + jsn + ".clues",
              strand() + "-" + jsn + ".removals",
              strand() + ".audit");
    }
    Files.createFile(statements.directory().resolve(strand() + "-18.clues.tmp"));
    assertThat(audit(MemoryLog.of(ClueLogs.sample())).resumedFrom()).isEqualTo(16);
    assertThat(files())
        .containsExactly(strand() + "-21.clues", strand() + "-21.removals", strand() + ".audit");
  }

  @Test
  void goesOnWhereTheLogHasGrown() throws Exception {
    assertThat(audit(MemoryLog.of(ClueLogs.sample())).firstFault()).isEmpty();
    ReferenceLedger grown =
        ClueLogs.sample()
            .append(FIXTURES.clued(40, "a", "new"))
            .append(FIXTURES.clueDelete(41, "b"));
    AuditReport report = audit(MemoryLog.of(grown.seal()));
    assertThat(report.resumedFrom()).isEqualTo(ClueLogs.SIZE);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.counts().clues()).isEqualTo(ClueLogs.CLUES + 1);
    assertThat(report.counts().clueEntries()).isEqualTo(ClueLogs.ENTRIES + 3);
    assertThat(report.counts().clueDeletions()).isEqualTo(3);
  }

  @Test
  void findsALieBehindTheResumption() throws Exception {
    interruptAt(16);
    ReferenceLedger log = ClueLogs.sample().append(FIXTURES.clued(40, "a"));
    log.seal(ClueLogs.seal(log, SealLeaf.EMPTY_CLUE_ROOT));
    AuditReport report = audit(MemoryLog.of(log));
    assertThat(report.resumedFrom()).isEqualTo(16);
    assertThat(report.firstFault())
        .get()
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(22L, FaultKind.WRONG_FEATURE_ROOT);
  }

  @Test
  void remembersThatTheClueTrieWasAnnounced() throws Exception {
    ReferenceLedger announced =
        ReferenceLedger.found(Logs.FIXTURES).append(Logs.FIXTURES.clueTrieFrom(3)).seal();
    assertThat(announced(announced).firstFault()).isEmpty();
    ReferenceLedger early = announced.copy().append(Logs.FIXTURES.clued(5, "a")).seal();
    assertThat(announced(early).firstFault())
        .get()
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(4L, FaultKind.FEATURE_NOT_ENABLED);
    announced.append(Logs.FIXTURES.single(6)).seal().append(Logs.FIXTURES.clued(7, "a")).seal();
    AuditReport report = announced(announced);
    assertThat(report.resumedFrom()).isEqualTo(4);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.counts().clues()).isEqualTo(1);
  }

  private AuditReport announced(ReferenceLedger log) throws Exception {
    return Logs.AUDITOR.audit(Logs.FIXTURES.strand(), MemoryLog.of(log), Logs.OPTIONS, statements);
  }

  @Test
  void refusesToGoOnWithoutItsClues() throws Exception {
    interruptAt(6);
    Files.delete(clues(6));
    assertRefused(Reason.CLUES_MISSING);
  }

  @Test
  void refusesCluesThatWereChangedInAnyWay() throws Exception {
    interruptAt(6);
    byte[] right = Files.readAllBytes(clues(6));
    for (int at = 0; at < right.length; at++) {
      byte[] wrong = right.clone();
      wrong[at] ^= 1;
      Files.write(clues(6), wrong);
      boolean version = at >= 8 && at < 12;
      assertThatThrownBy(() -> audit(MemoryLog.of(ClueLogs.sample())))
          .as("byte %d", at)
          .isInstanceOfSatisfying(
              StatementException.class,
              e ->
                  assertThat(e.reason())
                      .isIn(
                          Reason.CLUES_DAMAGED,
                          version ? Reason.NEWER_VERSION : Reason.CLUES_DAMAGED));
    }
    for (int length = 0; length < right.length; length++) {
      Files.write(clues(6), Arrays.copyOf(right, length));
      assertRefused(Reason.CLUES_DAMAGED);
    }
    Files.write(clues(6), Arrays.copyOf(right, right.length + 1));
    assertRefused(Reason.CLUES_DAMAGED);
    Files.write(clues(6), right);
    assertThat(audit(MemoryLog.of(ClueLogs.sample())).resumedFrom()).isEqualTo(6);
  }

  @Test
  void refusesTheCluesOfAnotherSize() throws Exception {
    interruptAt(11);
    byte[] later = Files.readAllBytes(clues(11));
    Files.delete(statements.file(FIXTURES.strand()));
    interruptAt(6);
    Files.write(clues(6), later);
    assertRefused(Reason.CLUES_DAMAGED);
  }

  private void assertRefused(Reason reason) {
    assertThatThrownBy(() -> audit(MemoryLog.of(ClueLogs.sample())))
        .isInstanceOfSatisfying(
            StatementException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}

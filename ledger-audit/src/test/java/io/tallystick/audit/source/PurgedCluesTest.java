package io.tallystick.audit.source;

import static io.tallystick.audit.PurgeLogs.purge;
import static io.tallystick.audit.PurgeLogs.snapshot;
import static io.tallystick.audit.PurgeLogs.without;
import static io.tallystick.testkit.Fixtures.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.AuditStatements;
import io.tallystick.audit.ClueLogs;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.PurgeLogs.Purged;
import io.tallystick.audit.PurgedClue;
import io.tallystick.audit.chunk.Beginning;
import io.tallystick.audit.export.TileExport;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditProgress;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.statement.ClueFile;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.ReferenceLedger;
import java.io.DataOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the clues of a purged log go on from those that its source shows, which the seal commits
/// to. Method: a log with clues below and above the purge, and what the source shows changed.
class PurgedCluesTest {
  @TempDir private Path folder;

  /// Blocks 0 and 1 go: "a" was named twice, "b" deleted there. "b" goes on behind them.
  @Test
  void theCluesOfWhatWentGoOn() throws Exception {
    ReferenceLedger log = clued();
    Snapshot snapshot = snapshot(log, 6);
    log.append(purge(ClueLogs.FIXTURES, snapshot, ALICE)).seal();
    log.append(ClueLogs.FIXTURES.clued(20, "b", "new")).seal();
    Purged left = without(log, 8, snapshot).withClues(cluesUpTo(log, 6));
    AuditReport report = auditOf(log, left);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.counts().clues()).isEqualTo(3);
    Path copy = folder.resolve("clues-copy");
    var _ = LogCopy.save(left, copy);
    assertThat(auditOf(log, new LogCopySource(copy)).counts()).isEqualTo(report.counts());

    checkExported(log, left);
    byte[] bent = left.clues().toArray();
    bent[bent.length - 1] ^= 1;
    for (Bytes clues :
        List.of(Bytes.EMPTY, Bytes.wrap(bent), left.clues().slice(0, left.clues().size() - 1))) {
      AuditFault fault = auditOf(log, left.withClues(clues)).firstFault().orElseThrow();
      assertThat(fault.kind()).isEqualTo(FaultKind.PSEUDO_GENESIS_INVALID);
      assertThat(fault.detail()).startsWith("clues of what was purged: ");
      assertThatThrownBy(() -> checkExported(log, left.withClues(clues)))
          .isInstanceOf(LogFormatException.class)
          .hasMessageContaining("clues of what was purged");
    }
    ReferenceLedger other = clued();
    other.append(purge(ClueLogs.FIXTURES, snapshot, ALICE));
    SealLeaf right = other.nextSeal();
    other.seal(
        new SealLeaf(
            right.jsn(),
            right.timeMs(),
            right.height(),
            right.previous(),
            right.firstJsn(),
            right.journalRoot(),
            Digest.ZERO,
            right.stateRoot()));
    AuditFault fault =
        auditOf(log, without(other, 8, snapshot).withClues(left.clues()))
            .firstFault()
            .orElseThrow();
    assertThat(fault.kind()).isEqualTo(FaultKind.WRONG_FEATURE_ROOT);
    assertThat(fault.jsn()).isEqualTo(9);
  }

  private void checkExported(ReferenceLedger log, Purged left) throws Exception {
    Path target = Files.createTempDirectory(folder, "export");
    try (TileExport export =
        new TileExport(target, false, SignatureProviders.best(), AuditProgress.NONE)) {
      var _ = export.write(log.strand(), left);
    }
    assertThat(Files.readAllBytes(target.resolve("snapshot/clues")))
        .isEqualTo(left.clues().toArray());
  }

  @Test
  void saysHowManyJournalsOfAClueWent() throws Exception {
    ReferenceLedger log = clued();
    Snapshot snapshot = snapshot(log, 6);
    int purge = log.size();
    log.append(purge(ClueLogs.FIXTURES, snapshot, ALICE)).seal();
    log.append(ClueLogs.FIXTURES.clued(20, "b", "new")).seal();
    Purged left = without(log, 8, snapshot).withClues(cluesUpTo(log, 6));
    PurgedClue a = went(log, left, "a").orElseThrow();
    assertThat(a.purge().value()).isEqualTo(purge);
    assertThat(a.firstKept().value()).isEqualTo(6);
    assertThat(a.journals()).isEqualTo(2);
    assertThat(went(log, left, "b").orElseThrow().journals()).isEqualTo(2);
    assertThat(went(log, left, "new").orElseThrow().journals()).isZero();
    assertThat(went(log, MemoryLog.of(log), "a")).isEmpty();
    assertThatThrownBy(() -> went(log, left.withClues(Bytes.EMPTY), "a"))
        .isInstanceOf(LogFormatException.class)
        .hasMessageContaining("clues of what was purged");
  }

  private static Optional<PurgedClue> went(ReferenceLedger log, LogSource source, String clue)
      throws Exception {
    return PurgedClue.read(
        source,
        log.strand(),
        Commitments.clueId(log.strand().ledger(), clue),
        SignatureProviders.best());
  }

  @Test
  void cluesAreNotCutOff() throws Exception {
    ReferenceLedger log = clued();
    Snapshot snapshot = snapshot(log, 6);
    log.append(purge(ClueLogs.FIXTURES, snapshot, ALICE)).seal();
    Purged left = without(log, 8, snapshot).withClues(cluesUpTo(log, 6));
    Beginning beginning =
        Beginning.verify(left.start(), log.strand(), left.keyChain(), SignatureProviders.best());
    int bytes = left.clues().size();
    assertThat(ClueFile.of(left, beginning, bytes)).contains(left.clues());
    assertThatThrownBy(() -> ClueFile.of(left, beginning, bytes - 1))
        .isInstanceOf(AuditLimitException.class)
        .hasMessage("the clues of what was purged: more than " + (bytes - 1) + " bytes");
    DataOutputStream nowhere = new DataOutputStream(OutputStream.nullOutputStream());
    LogCopy.writePieces("clues", left.purgedClues(), bytes, nowhere);
    assertThatThrownBy(() -> LogCopy.writePieces("clues", left.purgedClues(), bytes - 1L, nowhere))
        .isInstanceOf(AuditLimitException.class);
  }

  private static ReferenceLedger clued() {
    return ReferenceLedger.found(ClueLogs.FIXTURES)
        .append(ClueLogs.FIXTURES.clued(1, "a", "b"))
        .append(ClueLogs.FIXTURES.clued(2, "a"))
        .append(ClueLogs.FIXTURES.clueDelete(3, "b"))
        .seal()
        .append(ClueLogs.FIXTURES.clued(4, "b"))
        .seal();
  }

  private static AuditReport auditOf(ReferenceLedger log, LogSource source) throws Exception {
    return Logs.AUDITOR.audit(log.strand(), source, Logs.OPTIONS);
  }

  /// As a statement at this size has them.
  static Bytes cluesUpTo(ReferenceLedger log, int size) {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    try {
      Path statements = Files.createTempDirectory("clues");
      MemoryLog cut =
          MemoryLog.of(log).with(size, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
      var _ =
          Logs.AUDITOR.audit(
              log.strand(),
              cut,
              Logs.OPTIONS,
              new AuditStatements(statements, auditor, Duration.ZERO));
      try (Stream<Path> files = Files.list(statements)) {
        Path file =
            files.filter(each -> each.toString().endsWith(".clues")).findFirst().orElseThrow();
        return Bytes.wrap(Files.readAllBytes(file));
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}

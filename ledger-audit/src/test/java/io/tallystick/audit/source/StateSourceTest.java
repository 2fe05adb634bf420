package io.tallystick.audit.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.BareLog;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.StateLogs;
import io.tallystick.audit.export.TileExportTest;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.ReferenceLedger;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: operations come to the auditor from a saved copy and from public files as from the log
/// itself, and only in the log of a ledger that has a state. Method: round trips, truncations,
/// versions and files changed.
class StateSourceTest {
  private static final int VERSION_AT = 11;

  @TempDir private Path folder;

  private static byte[] copy(LogSource log) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (LogReader reader = log.open()) {
      LogCopy.write(reader, out);
    }
    return out.toByteArray();
  }

  private static LogSource source(byte[] copy) {
    return new BareLog(() -> LogCopySource.open(new ByteArrayInputStream(copy)));
  }

  @Test
  void aSavedCopyHasTheOperations() throws Exception {
    MemoryLog log = MemoryLog.of(StateLogs.sample());
    byte[] copy = copy(log);
    assertThat(copy[VERSION_AT]).isEqualTo((byte) 2);
    assertThat(StateLogs.audit(source(copy), Logs.OPTIONS))
        .usingRecursiveComparison()
        .ignoringFields("age", "elapsed")
        .isEqualTo(StateLogs.audit(log, Logs.OPTIONS));
    assertThat(copy(source(copy))).isEqualTo(copy);
    assertThat(copy(MemoryLog.of(Logs.sample()))[VERSION_AT]).isEqualTo((byte) 1);
  }

  @Test
  void anEntryHasTheBytesOfItsPage() throws Exception {
    LogEntry entry =
        new LogEntry(
            Bytes.fromHex("a1a2a3"),
            Bytes.fromHex("b1b2"),
            Bytes.fromHex("81e1e2"),
            BodyState.ERASED,
            Bytes.EMPTY,
            Bytes.EMPTY);
    MemoryLog log = MemoryLog.of(StateLogs.sample());
    List<LogEntry> entries = new ArrayList<>(log.entries());
    entries.add(entry);
    String file = HexFormat.of().formatHex(copy(log.withEntries(entries)));
    String page = Files.readString(Path.of("../docs/formats/log-copy.md"));
    String fence = "```";
    int from = page.lastIndexOf(fence + "hex") + fence.length() + 3;
    String example = page.substring(from, page.indexOf(fence, from)).replaceAll("\\s", "");
    assertThat(file).contains(example);
    assertThat(example).hasSize(2 * (4 + 3 + 4 + 2 + 4 + 3 + 1));
  }

  @Test
  void aCopyOfTheOtherVersionIsRefused() throws Exception {
    for (MemoryLog log : List.of(MemoryLog.of(StateLogs.sample()), MemoryLog.of(Logs.sample()))) {
      byte[] copy = copy(log);
      copy[VERSION_AT] ^= 3;
      AuditFault fault = audit(log.strand(), source(copy)).firstFault().orElseThrow();
      assertThat(fault.kind()).isEqualTo(FaultKind.LOG_MALFORMED);
      assertThat(fault.jsn()).isZero();
      assertThat(fault.detail()).startsWith("version is " + copy[VERSION_AT] + ", that of this");
    }
  }

  private static AuditReport audit(StrandId strand, LogSource log) throws Exception {
    return Logs.AUDITOR.audit(strand, log, Logs.OPTIONS);
  }

  @Test
  void operationsThatACopyCannotHoldAreNotLost() {
    MemoryLog log =
        MemoryLog.of(Logs.sample()).with(3, entry -> MemoryLog.withOps(entry, Bytes.fromHex("81")));
    assertThatThrownBy(() -> copy(log))
        .isInstanceOf(LogFormatException.class)
        .hasMessage("entry 3 has 1 bytes of operations, its ledger has no state");
    assertThatThrownBy(() -> TileExportTest.export(log, folder, true))
        .isInstanceOf(LogFormatException.class)
        .hasMessage("entry 3 has 1 bytes of operations, its ledger has no state");
  }

  @Test
  void everyTruncationIsRefusedAndOperationsAreBounded() throws Exception {
    MemoryLog log = MemoryLog.of(StateLogs.sample());
    byte[] copy = copy(log);
    for (int length = 60; length < copy.length; length += 7) {
      AuditReport report = StateLogs.audit(source(Arrays.copyOf(copy, length)), Logs.OPTIONS);
      assertThat(report.firstFault().orElseThrow().kind()).isEqualTo(FaultKind.LOG_TRUNCATED);
    }
    LogEntry entry = log.entries().getFirst();
    int opsAt = 56 + 4 + entry.leaf().size() + 4 + entry.attestation().size();
    copy[opsAt + 1] = 0x11;
    copy[opsAt + 3] = 1;
    AuditFault fault = StateLogs.assertFault(source(copy), 0, FaultKind.LOG_MALFORMED);
    assertThat(fault.detail()).startsWith("operations of 1114113 bytes");
  }

  @Test
  void aCopyIsOpenedBehindEntriesWithOperations() throws Exception {
    MemoryLog log = MemoryLog.of(StateLogs.sample());
    Path file = folder.resolve("state.log");
    LogCopy.save(log, file);
    try (LogReader reader = new LogCopySource(file).open(5, 0)) {
      assertThat(reader.next()).isEqualTo(log.entries().get(5));
    }
  }

  @Test
  void publicFilesHaveTheOperations() throws Exception {
    ReferenceLedger ledger = StateLogs.folding(140, 7);
    MemoryLog log = MemoryLog.of(ledger);
    TileExportTest.export(log, folder, true);
    assertThat(folder.resolve("tile/ops/000")).exists();
    assertThat(folder.resolve("tile/ops/001.p/" + (ledger.size() - 256))).exists();
    LogSource files = new TileLogSource(new FolderTiles(folder), true);
    AuditReport report = StateLogs.audit(files, Logs.OPTIONS);
    assertThat(report.faults()).isEmpty();
    assertThat(report.counts()).isEqualTo(StateLogs.audit(log, Logs.OPTIONS).counts());
    try (LogReader reader = files.open(260, 0)) {
      assertThat(reader.next()).isEqualTo(log.entries().get(260));
    }
    Files.delete(folder.resolve("tile/ops/000"));
    AuditFault fault = StateLogs.assertFault(files, 0, FaultKind.LOG_TRUNCATED);
    assertThat(fault.detail()).isEqualTo("there is no tile/ops/000");
  }

  @Test
  void operationsInPublicFilesNeverChange() throws Exception {
    MemoryLog log = MemoryLog.of(StateLogs.sample());
    TileExportTest.export(log, folder, false);
    Path ops = folder.resolve("tile/ops/000.p/" + StateLogs.SIZE);
    byte[] changed = Files.readAllBytes(ops);
    changed[20] ^= 1;
    Files.write(ops, changed);
    assertThatThrownBy(() -> TileExportTest.export(log, folder, false))
        .hasMessageContaining("tile/ops/000.p/15");
    LogSource files = new TileLogSource(new FolderTiles(folder), false);
    AuditReport report = StateLogs.audit(files, Logs.OPTIONS.withoutBodies());
    assertThat(report.firstFault().orElseThrow().kind()).isEqualTo(FaultKind.OPERATIONS_MISMATCH);
    assertThat(report.firstFault().orElseThrow().jsn()).isEqualTo(2);
  }

  @Test
  void asksForNoOperationsInALedgerWithoutAState() throws Exception {
    TileExportTest.export(MemoryLog.of(Logs.sample()), folder, true);
    List<String> asked = new ArrayList<>();
    TileFiles files =
        (path, bytesMax) -> {
          synchronized (asked) {
            asked.add(path);
          }
          return new FolderTiles(folder).read(path, bytesMax);
        };
    assertThat(Logs.audit(new TileLogSource(files, true)).faults()).isEmpty();
    assertThat(asked).noneMatch(path -> path.contains("ops")).isNotEmpty();
    assertThat(folder.resolve("tile/ops")).doesNotExist();
  }
}

package io.tallystick.audit.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.BareLog;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
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
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a saved copy is the log it was made from, and no byte of it can change unseen. Method:
/// round trips, every truncation, and a change of every single byte, audited.
class LogCopyTest {
  private static final long SEED = 20_261_120;
  private static final int SIZE_AT = 48;

  /// Magic and version.
  private static final int BEFORE_LEDGER_BYTES = 12;

  private static final int HEADER_BYTES = 56;

  private static final Path PAGE = Path.of("../docs/formats/log-copy.md");

  @TempDir private Path folder;

  @Test
  void writesAndReadsTheWorkedExample() throws Exception {
    StrandId strand =
        new StrandId(
            LedgerId.fromHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
            0);
    Bytes salt = Bytes.fromHex("202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f");
    MemoryLog log =
        new MemoryLog(
            strand,
            List.of(
                new LogEntry(
                    Bytes.fromHex("a1a2a3"),
                    Bytes.fromHex("b1b2"),
                    BodyState.NONE,
                    Bytes.EMPTY,
                    Bytes.EMPTY),
                new LogEntry(
                    Bytes.fromHex("c1"),
                    Bytes.EMPTY,
                    BodyState.PRESENT,
                    salt,
                    Bytes.fromHex("8440608080"))),
            new LogEnd(Bytes.utf8("note"), Bytes.fromHex("d284")));
    String example = example();
    assertThat(HexFormat.of().formatHex(bytes(log))).isEqualTo(example);
    assertThat(read(HexFormat.of().parseHex(example))).isEqualTo(log);
  }

  /// The bytes between the page's hex fence.
  private static String example() throws Exception {
    String page = Files.readString(PAGE);
    String fence = "```";
    int from = page.indexOf(fence + "hex") + fence.length() + 3;
    return page.substring(from, page.indexOf(fence, from)).replaceAll("\\s", "");
  }

  @Test
  void auditsASavedCopyLikeTheLogItself() throws Exception {
    Path file = folder.resolve("sample.log");
    assertThat(LogCopy.save(MemoryLog.of(Logs.sample()), file)).isEqualTo(Logs.SIZE);
    AuditReport report = Logs.audit(new LogCopySource(file));
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.size().value()).isEqualTo(Logs.SIZE);
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void leavesNoFileBehindThatLooksWholeWhenTheSourceBreaksOff() throws Exception {
    byte[] copy = bytes(MemoryLog.of(Logs.sample()));
    Path file = folder.resolve("broken.log");
    LogSource broken =
        new BareLog(() -> LogCopySource.open(stream(Arrays.copyOf(copy, copy.length / 2))));
    assertThatThrownBy(() -> LogCopy.save(broken, file)).isInstanceOf(LogFormatException.class);
    assertThat(file).doesNotExist();
  }

  @Test
  void refusesEveryTruncation() throws Exception {
    byte[] copy = bytes(small());
    for (int length = 0; length < LogCopy.MAGIC.size(); length++) {
      byte[] broken = Arrays.copyOf(copy, length);
      assertThatThrownBy(() -> read(broken)).isInstanceOf(NoLogException.class);
    }
    for (int length = LogCopy.MAGIC.size(); length < copy.length; length++) {
      byte[] broken = Arrays.copyOf(copy, length);
      assertThatThrownBy(() -> read(broken))
          .as("%d bytes", length)
          .isInstanceOfSatisfying(
              LogFormatException.class,
              e -> assertThat(e.kind()).isEqualTo(FaultKind.LOG_TRUNCATED));
    }
  }

  @Test
  void blamesTheFirstEntryThatIsNotWhole() throws Exception {
    MemoryLog log = small();
    byte[] copy = bytes(log);
    List<Integer> ends = entryEnds(log);
    for (int end : ends) {
      for (int length = end - 1; length <= end + 1; length++) {
        AuditFault fault = fault(Arrays.copyOf(copy, length));
        assertThat(fault.kind()).as(fault.toString()).isEqualTo(FaultKind.LOG_TRUNCATED);
        assertThat(fault.jsn()).as("%d bytes", length).isEqualTo(wholeEntries(ends, length));
      }
    }
  }

  @Test
  void refusesBytesBehindTheEnd() throws Exception {
    byte[] copy = bytes(small());
    AuditFault fault = fault(Arrays.copyOf(copy, copy.length + 1));
    assertThat(fault.kind()).isEqualTo(FaultKind.LOG_MALFORMED);
  }

  /// A leaf's own time is bound by its block's seal alone, a request inside a batch by the
  /// signature over the batch, the promised size by the end of the file; every other byte by its
  /// own entry.
  @Test
  void catchesAChangeOfAnySingleByte() throws Exception {
    MemoryLog log = small();
    byte[] copy = bytes(log);
    List<Integer> ends = entryEnds(log);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int at = BEFORE_LEDGER_BYTES; at < copy.length; at++) {
      byte[] changed = copy.clone();
      changed[at] ^= (byte) random.nextInt(1, 256);
      AuditFault fault = fault(changed);
      int entry = wholeEntries(ends, at);
      assertThat(fault.jsn())
          .as("byte %d, value %d, seed %d: %s", at, changed[at] & 0xff, SEED, fault)
          .isBetween(firstBlamed(log, ends, at, entry), lastBlamed(log, ends, at, entry));
    }
  }

  /// Genesis, seal; Alice, a batch of two by Alice, seal.
  private static MemoryLog small() {
    return MemoryLog.of(
        ReferenceLedger.found(Logs.FIXTURES)
            .append(Logs.FIXTURES.single(1))
            .append(Logs.FIXTURES.batch(10, 2))
            .seal());
  }

  private static long firstBlamed(MemoryLog log, List<Integer> ends, int at, int entry) {
    if (entry == log.entries().size()) {
      return entry - 1L;
    }
    return entry == 4 && inLeaf(log, ends, at, entry) ? 3 : entry;
  }

  private static long lastBlamed(MemoryLog log, List<Integer> ends, int at, int entry) {
    if (at >= SIZE_AT && at < SIZE_AT + Long.BYTES) {
      return log.entries().size();
    }
    if (!inLeaf(log, ends, at, entry)) {
      return entry;
    }
    return entry < 2 ? 1 : 5;
  }

  private static boolean inLeaf(MemoryLog log, List<Integer> ends, int at, int entry) {
    if (entry == log.entries().size()) {
      return false;
    }
    int leafAt = (entry == 0 ? HEADER_BYTES : ends.get(entry - 1)) + Integer.BYTES;
    return at >= leafAt && at < leafAt + log.entries().get(entry).leaf().size();
  }

  /// The number of entries that are whole within `length` bytes.
  private static int wholeEntries(List<Integer> ends, int length) {
    return (int) ends.stream().filter(end -> end <= length).count();
  }

  /// Nobody is accused by it.
  @Test
  void isNoCopyWithAnotherBeginningOrOfANewerVersion() throws Exception {
    byte[] copy = bytes(small());
    for (int at = 0; at < BEFORE_LEDGER_BYTES; at++) {
      byte[] changed = copy.clone();
      changed[at] ^= 0x40;
      assertThatThrownBy(() -> read(changed)).as("byte %d", at).isInstanceOf(NoLogException.class);
    }
  }

  private static List<Integer> entryEnds(MemoryLog log) throws Exception {
    List<Integer> ends = new ArrayList<>();
    int end = HEADER_BYTES;
    for (LogEntry entry : log.entries()) {
      end += 9 + entry.sizeBytes() + (entry.bodyState() == BodyState.PRESENT ? 4 : 0);
      ends.add(end);
    }
    return ends;
  }

  private static AuditFault fault(byte[] copy) {
    AuditReport report = Logs.audit(new BareLog(() -> LogCopySource.open(stream(copy))));
    assertThat(report.firstFault()).isPresent();
    return report.firstFault().orElseThrow();
  }

  private static ByteArrayInputStream stream(byte[] copy) {
    return new ByteArrayInputStream(copy);
  }

  private static byte[] bytes(LogSource log) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (LogReader reader = log.open()) {
      LogCopy.write(reader, out);
    }
    return out.toByteArray();
  }

  private static MemoryLog read(byte[] copy) throws Exception {
    try (LogReader log = LogCopySource.open(stream(copy))) {
      List<LogEntry> entries = new ArrayList<>();
      for (LogEntry entry = log.next(); entry != null; entry = log.next()) {
        entries.add(entry);
      }
      return new MemoryLog(log.strand(), entries, log.end());
    }
  }
}

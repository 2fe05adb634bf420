package io.tallystick.audit.source;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.BareLog;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.fuzz.Edits;
import io.tallystick.testkit.fuzz.FuzzContract;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/// Goal: no file is read as a log but the one that would be written, and of all that {@link Edits}
/// make of a saved log the audit is content with the genuine alone. Method: Jazzer;
/// `docs/testing.md`.
class LogCopyFuzzTest extends FuzzContract {
  private static final Edits LOGS = new Edits(List.of(List.of(saved(4)), List.of(saved(5))));
  private static final AuditOptions OPTIONS = AuditOptions.defaults().withThreads(1);

  /// Buffers of a whole audit, and the longest body, which is allocated before it is read.
  private static final long AUDIT_BYTES = 16L << 20;

  private static Bytes saved(int number) {
    ReferenceLedger ledger =
        ReferenceLedger.found(Logs.FIXTURES)
            .append(Logs.FIXTURES.single(number))
            .seal()
            .append(Logs.FIXTURES.batch(10, 2))
            .seal();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (LogReader log = MemoryLog.of(ledger).open()) {
      LogCopy.write(log, out);
    } catch (IOException | LogFormatException e) {
      throw new AssertionError(e);
    }
    return Bytes.wrap(out.toByteArray());
  }

  @Override
  protected long allocatedBytesMax() {
    return AUDIT_BYTES;
  }

  @FuzzTest
  void copy(byte[] input) {
    decoder(
        input,
        bytes -> {
          ByteArrayOutputStream out = new ByteArrayOutputStream();
          try (LogReader log = LogCopySource.open(new ByteArrayInputStream(input))) {
            LogCopy.write(log, out);
          }
          return Bytes.wrap(out.toByteArray());
        },
        LogFormatException.class,
        NoLogException.class);
  }

  /// A log with a fault is refused here, so that seeds say which have one.
  @FuzzTest
  void audit(byte[] program) {
    attempt(
        () -> {
          List<Bytes> edited = LOGS.apply(program);
          byte[] file = edited.getFirst().toArray();
          LogSource source = new BareLog(() -> LogCopySource.open(new ByteArrayInputStream(file)));
          AuditReport report = Logs.audit(source, OPTIONS);
          if (report.firstFault().isPresent()) {
            throw LogFormatException.malformed(report.firstFault().get().toString());
          }
          LOGS.requireGenuine(edited);
        },
        LogFormatException.class,
        NoLogException.class);
  }
}

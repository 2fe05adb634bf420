package io.tallystick.audit;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.crypto.provider.SignatureProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// An audit in a process of its own, whose source stands still after so many entries: the process
/// is there to be killed.
final class StandingAudit {
  private static final long STANDSTILL_MILLIS = 600_000;

  private StandingAudit() {}

  /// @param args saved copy, auditor's PKCS#8 key, folder for statements, file for the report,
  ///   entries to read before it stands still
  public static void main(String[] args) throws Exception {
    AuditStatements statements =
        new AuditStatements(
            Path.of(args[2]),
            SignatureProviders.best().importPkcs8(Files.readAllBytes(Path.of(args[1]))),
            Duration.ZERO);
    AuditReport report =
        Logs.AUDITOR.audit(
            Logs.FIXTURES.strand(),
            new Standing(Path.of(args[0]), Integer.parseInt(args[4])),
            Logs.OPTIONS,
            statements);
    Files.writeString(Path.of(args[3]), told(report) + "resumedFrom " + report.resumedFrom());
  }

  /// All but how long it took and where it began.
  static String told(AuditReport report) {
    return report.size()
        + " "
        + report.root()
        + " "
        + report.counts()
        + " "
        + report.faults()
        + " "
        + report.checkpointVerified()
        + "\n";
  }

  private record Standing(Path file, int entries) implements LoneLog {
    @Override
    public LogReader open() throws IOException, LogFormatException {
      return open(0, 0);
    }

    @Override
    public LogReader open(long jsn, long source) throws IOException, LogFormatException {
      System.out.println("reading from " + jsn);
      return new StandingReader(new LogCopySource(file).open(jsn, source), entries);
    }
  }

  private static final class StandingReader extends ForwardingReader {
    private int left;

    StandingReader(LogReader log, int entries) {
      super(log);
      this.left = entries;
    }

    @Override
    public boolean next(EntryRun run) throws IOException, LogFormatException {
      left--;
      if (left == 0) {
        System.out.println("standing still");
        try {
          Thread.sleep(STANDSTILL_MILLIS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IOException(e);
        }
      }
      return super.next(run);
    }
  }
}

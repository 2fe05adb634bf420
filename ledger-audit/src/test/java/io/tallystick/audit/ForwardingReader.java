package io.tallystick.audit;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.model.StrandId;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Reads from another reader; a test changes what it is about.
abstract class ForwardingReader implements LogReader {
  private final LogReader log;

  ForwardingReader(LogReader log) {
    this.log = log;
  }

  @Override
  public StrandId strand() {
    return log.strand();
  }

  @Override
  public long size() {
    return log.size();
  }

  @Override
  public @Nullable LogEntry next() throws IOException, LogFormatException {
    return log.next();
  }

  @Override
  public boolean next(EntryRun run) throws IOException, LogFormatException {
    return log.next(run);
  }

  @Override
  public LogEnd end() throws IOException, LogFormatException {
    return log.end();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}

package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.model.StrandId;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The leaves of a log below a size, without a head. Not thread-safe.
public final class PrefixReader implements LogReader {
  private final LogReader log;
  private final long size;
  private long next;

  /// @param log opened at leaf `first`; of one that is not below the size nothing is read
  public PrefixReader(LogReader log, long first, long size) {
    this.log = log;
    this.next = first;
    this.size = Math.max(first, Math.min(size, log.size()));
  }

  @Override
  public StrandId strand() {
    return log.strand();
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public @Nullable LogEntry next() throws IOException, LogFormatException {
    if (next == size) {
      return null;
    }
    next++;
    return log.next();
  }

  @Override
  public boolean next(EntryRun run) throws IOException, LogFormatException {
    if (next == size) {
      return false;
    }
    next++;
    return log.next(run);
  }

  @Override
  public LogEnd end() {
    return LogEnd.NONE;
  }

  @Override
  public void close() throws IOException {
    log.close();
  }
}

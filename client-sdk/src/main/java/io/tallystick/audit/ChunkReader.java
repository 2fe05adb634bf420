package io.tallystick.audit;

import io.tallystick.audit.LogSource.LogReader;
import io.tallystick.journal.Limits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Cuts a log into chunks. Where it cuts depends on the entries alone, so that every audit of a log
/// says the same. Not thread-safe.
final class ChunkReader {
  static final int ENTRIES_WANTED = 2_048;
  static final int BYTES_WANTED = 1 << 20;

  /// No submission has more entries or bytes: its requests are bounded, and a leaf adds less than
  /// 90 bytes to a request. What goes on without a new attestation is faulty.
  private static final int SUBMISSION_ENTRIES_MAX = Limits.BATCH_COUNT_MAX + 1;

  private static final int SUBMISSION_BYTES_MAX = 2 * Limits.BATCH_BYTES_MAX;

  private final LogReader log;
  private long nextJsn;
  private @Nullable LogEntry pending;

  ChunkReader(LogReader log) {
    this.log = log;
  }

  /// The next chunk; the last one says so.
  Chunk next() throws IOException {
    long firstJsn = nextJsn - (pending == null ? 0 : 1);
    List<LogEntry> entries = new ArrayList<>(ENTRIES_WANTED);
    try {
      LogEnd end = fill(entries);
      return new Chunk(firstJsn, entries, null, end);
    } catch (LogFormatException e) {
      AuditFault fault = new AuditFault(nextJsn, e.kind(), String.valueOf(e.getMessage()));
      return new Chunk(firstJsn, entries, fault, null);
    }
  }

  /// @return the log's end, null if entries follow
  private @Nullable LogEnd fill(List<LogEntry> entries) throws IOException, LogFormatException {
    Cut cut = new Cut();
    if (pending != null) {
      cut.add(pending);
      entries.add(pending);
      pending = null;
    }
    for (LogEntry entry = log.next(); entry != null; entry = log.next()) {
      nextJsn++;
      if (cut.before(entry)) {
        pending = entry;
        return null;
      }
      cut.add(entry);
      entries.add(entry);
    }
    if (nextJsn != log.size()) {
      throw LogFormatException.truncated(nextJsn + " entries, want " + log.size());
    }
    return log.end();
  }

  /// How much the chunk holds, in all and since its last attestation.
  private static final class Cut {
    private int entries;
    private long bytes;
    private int submissionEntries;
    private long submissionBytes;

    void add(LogEntry entry) {
      if (!entry.attestation().isEmpty()) {
        submissionEntries = 0;
        submissionBytes = 0;
      }
      int size = entry.sizeBytes();
      entries++;
      bytes += size;
      submissionEntries++;
      submissionBytes += size;
    }

    boolean before(LogEntry entry) {
      if (!entry.attestation().isEmpty()) {
        return entries >= ENTRIES_WANTED || bytes >= BYTES_WANTED;
      }
      return submissionEntries > SUBMISSION_ENTRIES_MAX || submissionBytes > SUBMISSION_BYTES_MAX;
    }
  }
}

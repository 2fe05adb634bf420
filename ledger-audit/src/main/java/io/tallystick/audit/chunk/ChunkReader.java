package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.journal.Limits;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// Cuts a log into chunks. Where it cuts depends on the entries alone, so that every audit of a log
/// says the same. Not thread-safe.
public final class ChunkReader {
  public static final int ENTRIES_WANTED = 2_048;
  static final int BYTES_WANTED = 1 << 20;

  /// No submission has more entries or bytes: its requests are bounded, and a leaf adds less than
  /// 90 bytes to a request. What goes on without a new attestation is faulty.
  private static final int SUBMISSION_ENTRIES_MAX = Limits.BATCH_COUNT_MAX + 1;

  private static final int SUBMISSION_BYTES_MAX = 2 * Limits.BATCH_BYTES_MAX;

  private final LogReader log;

  /// Runs to be filled again. There are never more than are under way at one time.
  private final Queue<EntryRun> spare = new ConcurrentLinkedQueue<>();

  private final @Nullable Bytes leafBefore;
  private long nextJsn;
  private @Nullable EntryRun pending;

  /// Reads from the first leaf.
  public ChunkReader(LogReader log) {
    this(log, 0, null);
  }

  /// Reads on.
  ///
  /// @param nextJsn of the entry `log` tells next
  /// @param leafBefore the leaf before it, if there is one
  public ChunkReader(LogReader log, long nextJsn, @Nullable Bytes leafBefore) {
    this.log = log;
    this.nextJsn = nextJsn;
    this.leafBefore = leafBefore;
  }

  /// The next chunk; the last one says so.
  public Chunk next() throws IOException {
    EntryRun entries = pending == null ? empty() : pending;
    pending = null;
    long firstJsn = nextJsn - entries.count();
    try {
      LogEnd end = fill(entries);
      return new Chunk(firstJsn, entries, null, end, leafBefore);
    } catch (LogFormatException e) {
      entries.cancel();
      AuditFault fault = new AuditFault(nextJsn, e.kind(), String.valueOf(e.getMessage()));
      return new Chunk(firstJsn, entries, fault, null, leafBefore);
    }
  }

  /// Takes a chunk's entries back when they have been checked. Thread-safe.
  void recycle(EntryRun entries) {
    spare.add(entries);
  }

  private EntryRun empty() {
    EntryRun run = spare.poll();
    if (run == null) {
      return new EntryRun();
    }
    run.clear();
    return run;
  }

  /// @return the log's end, null if entries follow
  private @Nullable LogEnd fill(EntryRun entries) throws IOException, LogFormatException {
    Cut cut = new Cut();
    if (entries.count() > 0) {
      cut.add(entries);
    }
    while (log.next(entries)) {
      nextJsn++;
      if (cut.before(entries)) {
        EntryRun next = empty();
        next.takeLast(entries);
        pending = next;
        return null;
      }
      cut.add(entries);
    }
    if (nextJsn != log.size()) {
      throw LogFormatException.truncated(nextJsn + " entries, want " + log.size());
    }
    return log.end();
  }

  /// How much the chunk holds, in all and since its last attestation. The entry it is asked about
  /// is the last of the run.
  private static final class Cut {
    private int entries;
    private long bytes;
    private int submissionEntries;
    private long submissionBytes;

    void add(EntryRun run) {
      int last = run.count() - 1;
      if (run.attested(last)) {
        submissionEntries = 0;
        submissionBytes = 0;
      }
      int size = run.sizeBytes(last);
      entries++;
      bytes += size;
      submissionEntries++;
      submissionBytes += size;
    }

    boolean before(EntryRun run) {
      if (run.attested(run.count() - 1)) {
        return entries >= ENTRIES_WANTED || bytes >= BYTES_WANTED;
      }
      return submissionEntries > SUBMISSION_ENTRIES_MAX || submissionBytes > SUBMISSION_BYTES_MAX;
    }
  }
}

package io.tallystick.audit.evidence;

import io.tallystick.audit.LogEnd;
import io.tallystick.audit.LogEntry;
import io.tallystick.audit.LogSource;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.TrustLog;
import org.jspecify.annotations.Nullable;

/// A {@link TrustLog} as a source tells it, without bodies.
///
/// @param first the leaf to begin with
record ToldLog(TrustLog log, int first) implements LogSource {
  ToldLog(TrustLog log) {
    this(log, 0);
  }

  @Override
  public LogReader open() {
    return new LogReader() {
      private int next = first;

      @Override
      public StrandId strand() {
        return log.strand();
      }

      @Override
      public long size() {
        return (long) log.size() - first;
      }

      @Override
      public @Nullable LogEntry next() {
        if (next == log.size()) {
          return null;
        }
        int jsn = next++;
        return new LogEntry(
            log.leaf(jsn), log.attestation(jsn), BodyState.NONE, Bytes.EMPTY, Bytes.EMPTY);
      }

      @Override
      public LogEnd end() {
        return new LogEnd(Bytes.EMPTY, Bytes.EMPTY);
      }

      @Override
      public void close() {}
    };
  }
}

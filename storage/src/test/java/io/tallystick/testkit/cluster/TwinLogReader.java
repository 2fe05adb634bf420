package io.tallystick.testkit.cluster;

import io.tallystick.storage.replicated.EntryReader;
import io.tallystick.storage.replicated.QuorumUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Reads a log of a {@link TwinLogs}.
final class TwinLogReader implements EntryReader {
  private final TwinLogs twin;
  private final Steps steps;
  private final TwinLog log;
  private long lastConfirmed = -1;
  private boolean closed;
  private boolean over;

  /// The caller holds the twin's monitor.
  TwinLogReader(TwinLogs twin, Steps steps, TwinLog log) {
    this.twin = twin;
    this.steps = steps;
    this.log = log;
    look();
  }

  private void look() {
    closed = log.closed;
    long newest = log.confirmed - 1L;
    boolean late = !closed && twin.befalls(twin.faults().lateEntries());
    lastConfirmed = Math.max(lastConfirmed, late ? newest - 1 : newest);
  }

  @Override
  public long log() {
    return log.number;
  }

  @Override
  public long lastConfirmed() {
    synchronized (twin) {
      return lastConfirmed;
    }
  }

  @Override
  public boolean isClosed() {
    synchronized (twin) {
      return closed;
    }
  }

  @Override
  public void refresh() throws IOException {
    steps.step("look at log " + log.number);
    synchronized (twin) {
      twin.requireReachable();
      twin.log(log.number);
      look();
    }
  }

  @Override
  public List<LogEntry> read(long first, long last) throws IOException {
    synchronized (twin) {
      if (over) {
        throw new IllegalStateException("the reader of log " + log.number + " is closed");
      }
      twin.requireReachable();
      twin.log(log.number);
      if (twin.upOf(log) == 0) {
        throw new QuorumUnavailableException("no machine that holds log " + log.number + " is up");
      }
      if (first < 0 || first > last || last >= log.confirmed) {
        throw new AssertionError(
            String.format(
                Locale.ROOT,
                "reads entries %d to %d of log %d; %d are confirmed",
                first,
                last,
                log.number,
                log.confirmed));
      }
      return entries(first, last);
    }
  }

  private List<LogEntry> entries(long first, long last) {
    List<LogEntry> entries = new ArrayList<>();
    for (long entry = first; entry <= last; entry++) {
      TwinLog.Entry each = log.entries.get((int) entry);
      ByteBuffer bytes = ByteBuffer.wrap(each.bytes().unsafeArray()).asReadOnlyBuffer();
      entries.add(new LogEntry(entry, each.lengthAfter(), bytes));
    }
    return entries;
  }

  @Override
  public void close() {
    synchronized (twin) {
      over = true;
    }
  }
}

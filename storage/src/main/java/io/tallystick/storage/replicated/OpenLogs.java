package io.tallystick.storage.replicated;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/// Readers of logs, each opened once for a whole store. Thread-safe.
final class OpenLogs implements AutoCloseable {
  private final ReplicatedLogs logs;
  private final Map<Long, LogReader> open = new HashMap<>();

  OpenLogs(ReplicatedLogs logs) {
    this.logs = logs;
  }

  LogReader reader(long log) throws IOException {
    synchronized (open) {
      LogReader reader = open.get(log);
      if (reader != null) {
        return reader;
      }
    }
    LogReader made = logs.open(log);
    LogReader earlier;
    synchronized (open) {
      earlier = open.putIfAbsent(log, made);
    }
    if (earlier == null) {
      return made;
    }
    made.close();
    return earlier;
  }

  /// Recovers a log and keeps the reader of what it is now.
  LogReader recover(long log) throws IOException {
    LogReader recovered = logs.recover(log);
    forget(log);
    synchronized (open) {
      open.put(log, recovered);
    }
    return recovered;
  }

  /// Closes the reader of a log that is of no use any more.
  void forget(long log) throws IOException {
    LogReader reader;
    synchronized (open) {
      reader = open.remove(log);
    }
    if (reader != null) {
      reader.close();
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (open) {
      for (LogReader reader : open.values()) {
        reader.close();
      }
      open.clear();
    }
  }
}

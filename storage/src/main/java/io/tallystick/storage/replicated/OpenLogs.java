package io.tallystick.storage.replicated;

import io.tallystick.storage.replicated.EntryReader.LogEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Readers of logs, each opened once for a whole store and closed when others were used more
/// recently. A reader that is in use is closed behind that. Thread-safe.
final class OpenLogs implements AutoCloseable {
  /// Readers that stay open although nobody uses them.
  static final int IDLE_MAX = 256;

  private final ReplicatedLogs logs;

  /// From the one that was used least recently to the newest; guarded by itself.
  private final Map<Long, Open> open = new LinkedHashMap<>(16, 0.75f, true);

  OpenLogs(ReplicatedLogs logs) {
    this.logs = logs;
  }

  /// What is done with a reader.
  interface Use<T> {
    T with(EntryReader reader) throws IOException;
  }

  /// A reader, and by how many threads it is used. Guarded by the map.
  private static final class Open {
    final EntryReader reader;
    int users;
    boolean forgotten;

    Open(EntryReader reader) {
      this.reader = reader;
    }
  }

  /// Opens a reader now: of a log that is written to, none can be opened when too many machines are
  /// down, though its entries can be read.
  void prepare(long log) {
    try {
      use(log, reader -> reader.log());
    } catch (IOException _) {
      // Whoever reads tries again.
    }
  }

  List<LogEntry> read(long log, long first, long last) throws IOException {
    return use(log, reader -> reader.read(first, last));
  }

  <T> T use(long log, Use<T> use) throws IOException {
    Open held = acquire(log);
    try {
      return use.with(held.reader);
    } finally {
      close(release(held));
    }
  }

  private Open acquire(long log) throws IOException {
    synchronized (open) {
      Open held = open.get(log);
      if (held != null) {
        held.users++;
        return held;
      }
    }
    Open made = new Open(logs.open(log));
    made.users = 1;
    Open earlier;
    synchronized (open) {
      earlier = open.putIfAbsent(log, made);
      if (earlier != null) {
        earlier.users++;
      }
    }
    if (earlier == null) {
      return made;
    }
    close(made.reader);
    return earlier;
  }

  /// @return the readers to be closed now
  private List<EntryReader> release(Open held) {
    List<EntryReader> over = new ArrayList<>();
    synchronized (open) {
      held.users--;
      if (held.forgotten && held.users == 0) {
        over.add(held.reader);
      }
      Iterator<Open> oldest = open.values().iterator();
      while (open.size() > IDLE_MAX && oldest.hasNext()) {
        Open each = oldest.next();
        if (each.users == 0) {
          oldest.remove();
          over.add(each.reader);
        }
      }
    }
    return over;
  }

  /// Drops the reader of a log that is replaced, deleted or not what it was.
  void forget(long log) {
    List<EntryReader> over = new ArrayList<>();
    synchronized (open) {
      Open held = open.remove(log);
      if (held != null && held.users == 0) {
        over.add(held.reader);
      } else if (held != null) {
        held.forgotten = true;
      }
    }
    close(over);
  }

  private static void close(List<EntryReader> readers) {
    readers.forEach(OpenLogs::close);
  }

  /// Frees what a reader holds here; nothing depends on it.
  static void close(EntryReader reader) {
    try {
      reader.close();
    } catch (IOException _) {
      // It will not be used again.
    }
  }

  @Override
  public void close() {
    List<EntryReader> over = new ArrayList<>();
    synchronized (open) {
      open.values().forEach(each -> over.add(each.reader));
      open.clear();
    }
    close(over);
  }
}

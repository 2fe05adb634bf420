package io.tallystick.storage.replicated;

import io.tallystick.model.Bytes;
import io.tallystick.testkit.cluster.Steps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Logs of which each effect is a step, and whose entries may be damaged or hidden: what no test
/// can do to a bookie's files. Who reads an open log waits before it looks, as its writer tells the
/// last confirmed entry in intervals only.
final class SteppedLogs implements ReplicatedLogs {
  static final Duration LAST_CONFIRMED_EVERY = Duration.ofMillis(5);

  private final ReplicatedLogs logs;
  private final Steps steps;
  private final Bent bent;

  SteppedLogs(ReplicatedLogs logs, Steps steps, Bent bent) {
    this.logs = logs;
    this.steps = steps;
    this.bent = bent;
  }

  /// What is wrong with the entries of some logs, for all who read them.
  static final class Bent {
    private final Map<Long, Map<Long, Integer>> damaged = new ConcurrentHashMap<>();
    private final Map<Long, Long> ends = new ConcurrentHashMap<>();

    /// Changes one byte of an entry.
    void damage(long log, long entry, int offset) {
      damaged.computeIfAbsent(log, _ -> new ConcurrentHashMap<>()).put(entry, offset);
    }

    /// Leaves out an entry and all behind it.
    void tear(long log, long entry) {
      ends.put(log, entry);
    }

    private long last(long log, long last) {
      return Math.min(last, ends.getOrDefault(log, Long.MAX_VALUE) - 1);
    }

    private EntryReader.LogEntry seen(long log, EntryReader.LogEntry entry) {
      Integer offset = damaged.getOrDefault(log, Map.of()).get(entry.number());
      if (offset == null) {
        return entry;
      }
      ByteBuffer changed = ByteBuffer.allocate(entry.bytes().remaining());
      changed.put(entry.bytes().duplicate()).flip();
      changed.put(offset, (byte) ~changed.get(offset));
      return new EntryReader.LogEntry(
          entry.number(), entry.lengthAfter(), changed.asReadOnlyBuffer());
    }
  }

  @Override
  public LogWriter create(Quorum quorum, Bytes label) throws IOException {
    steps.step("create");
    LogWriter writer = logs.create(quorum, label);
    steps.step("created");
    return new SteppedWriter(writer);
  }

  @Override
  public EntryReader open(long log) throws IOException {
    steps.step("open");
    EntryReader reader = logs.open(log);
    if (!reader.isClosed()) {
      awaitLastConfirmed();
      reader.refresh();
    }
    return new BentReader(reader);
  }

  private static void awaitLastConfirmed() {
    try {
      Thread.sleep(LAST_CONFIRMED_EVERY.multipliedBy(12));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public EntryReader recover(long log) throws IOException {
    steps.step("recover");
    EntryReader closed = logs.recover(log);
    steps.step("recovered");
    return new BentReader(closed);
  }

  @Override
  public void delete(long log) throws IOException {
    steps.step("delete");
    logs.delete(log);
    steps.step("deleted");
  }

  @Override
  public List<Labelled> list() throws IOException {
    return logs.list();
  }

  @Override
  public int machines() throws IOException {
    return logs.machines();
  }

  private final class SteppedWriter implements LogWriter {
    private final LogWriter writer;

    private SteppedWriter(LogWriter writer) {
      this.writer = writer;
    }

    @Override
    public long log() {
      return writer.log();
    }

    @Override
    public PendingAdd add(ByteBuffer entry) throws IOException {
      steps.step("add");
      PendingAdd pending = writer.add(entry);
      return new PendingAdd() {
        @Override
        public boolean isDone() {
          return pending.isDone();
        }

        @Override
        public long await() throws IOException {
          long number = pending.await();
          steps.step("added");
          return number;
        }
      };
    }

    @Override
    public boolean isThin() {
      return writer.isThin();
    }

    @Override
    public void close() throws IOException {
      steps.step("close");
      writer.close();
      steps.step("closed");
    }
  }

  private final class BentReader implements EntryReader {
    private final EntryReader reader;

    private BentReader(EntryReader reader) {
      this.reader = reader;
    }

    @Override
    public long log() {
      return reader.log();
    }

    @Override
    public long lastConfirmed() {
      return bent.last(log(), reader.lastConfirmed());
    }

    @Override
    public boolean isClosed() {
      return reader.isClosed();
    }

    @Override
    public void refresh() throws IOException {
      if (!reader.isClosed()) {
        awaitLastConfirmed();
      }
      reader.refresh();
    }

    @Override
    public List<LogEntry> read(long first, long last) throws IOException {
      return reader.read(first, last).stream().map(entry -> bent.seen(log(), entry)).toList();
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }
}

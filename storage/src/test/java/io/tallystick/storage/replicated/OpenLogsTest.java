package io.tallystick.storage.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinLogs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// How many readers of logs stay open, and for how long.
class OpenLogsTest {
  private final ReplicatedLogs logs = new TwinLogs(3, new SplittableRandom(1)).client(Steps.NONE);
  private final Set<Long> readers = new TreeSet<>();
  private final OpenLogs open = new OpenLogs(new Counting());

  private void write() throws IOException {
    LogWriter writer = logs.create(Quorum.FULL, Bytes.EMPTY);
    writer.add(ByteBuffer.wrap(new byte[] {(byte) writer.log()})).await();
  }

  private byte read(long log) throws IOException {
    return open.read(log, 0, 0).getFirst().bytes().get(0);
  }

  @Test
  void keepsTheReadersThatWereUsedLast() throws Exception {
    for (int log = 0; log < OpenLogs.IDLE_MAX + 10; log++) {
      write();
      assertThat(read(log)).isEqualTo((byte) log);
      assertThat(read(0)).isZero();
    }
    assertThat(readers).hasSize(OpenLogs.IDLE_MAX).contains(0L, 11L).doesNotContain(1L, 10L);
    assertThat(read(10)).isEqualTo((byte) 10);
    open.forget(0);
    assertThat(readers).hasSize(OpenLogs.IDLE_MAX - 1).doesNotContain(0L);
    open.close();
    assertThat(readers).isEmpty();
  }

  @Test
  void aReaderInUseIsClosedBehindThat() throws Exception {
    write();
    long last =
        open.use(
            0,
            reader -> {
              open.forget(0);
              assertThat(readers).contains(0L);
              return reader.read(0, 0).getFirst().number();
            });
    assertThat(last).isZero();
    assertThat(readers).isEmpty();
  }

  /// Knows which readers are open.
  private final class Counting implements ReplicatedLogs {
    @Override
    public LogWriter create(Quorum quorum, Bytes label) throws IOException {
      return logs.create(quorum, label);
    }

    @Override
    public EntryReader open(long log) throws IOException {
      readers.add(log);
      return new Counted(logs.open(log));
    }

    @Override
    public EntryReader recover(long log) throws IOException {
      return logs.recover(log);
    }

    @Override
    public void delete(long log) throws IOException {
      logs.delete(log);
    }

    @Override
    public List<Labelled> list() throws IOException {
      return logs.list();
    }

    @Override
    public int machines() throws IOException {
      return logs.machines();
    }
  }

  private final class Counted implements EntryReader {
    private final EntryReader real;

    Counted(EntryReader real) {
      this.real = real;
    }

    @Override
    public long log() {
      return real.log();
    }

    @Override
    public long lastConfirmed() {
      return real.lastConfirmed();
    }

    @Override
    public boolean isClosed() {
      return real.isClosed();
    }

    @Override
    public void refresh() throws IOException {
      real.refresh();
    }

    @Override
    public List<LogEntry> read(long first, long last) throws IOException {
      return real.read(first, last);
    }

    @Override
    public void close() throws IOException {
      readers.remove(real.log());
      real.close();
    }
  }
}

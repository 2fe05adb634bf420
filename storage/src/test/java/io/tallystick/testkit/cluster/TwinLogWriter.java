package io.tallystick.testkit.cluster;

import io.tallystick.storage.replicated.LogFencedException;
import io.tallystick.storage.replicated.LogWriter;
import io.tallystick.storage.replicated.PendingAdd;
import io.tallystick.storage.replicated.QuorumUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Writes a log of a {@link TwinLogs}. An entry is taken when it is handed over, and confirmed when
/// it is awaited: whatever happens in between happens to an entry that is under way.
final class TwinLogWriter implements LogWriter {
  private final TwinLogs twin;
  private final Steps steps;
  private final TwinLog log;
  private boolean thin;
  private boolean broken;

  TwinLogWriter(TwinLogs twin, Steps steps, TwinLog log) {
    this.twin = twin;
    this.steps = steps;
    this.log = log;
  }

  @Override
  public long log() {
    return log.number;
  }

  @Override
  public PendingAdd add(ByteBuffer entry) throws IOException {
    byte[] bytes = new byte[entry.remaining()];
    entry.duplicate().get(bytes);
    steps.step("add to log " + log.number);
    synchronized (twin) {
      requireUsable();
      return new Pending(log.take(bytes));
    }
  }

  private void requireUsable() throws IOException {
    if (log.fenced || log.closed) {
      broken = true;
      throw new LogFencedException("log " + log.number + " is fenced");
    }
    if (broken) {
      throw new IOException("the writer of log " + log.number + " has failed");
    }
    twin.log(log.number);
  }

  @Override
  public boolean isThin() {
    synchronized (twin) {
      return thin;
    }
  }

  @Override
  public void close() throws IOException {
    steps.step("close log " + log.number);
    synchronized (twin) {
      requireUsable();
      boolean unanswered = twin.befalls(twin.faults().lostAnswers());
      if (!unanswered || twin.random().nextBoolean()) {
        log.close(log.confirmed);
      }
      if (unanswered) {
        broken = true;
        throw new IOException("no answer to: close log " + log.number);
      }
    }
    steps.step("closed log " + log.number);
  }

  private final class Pending implements PendingAdd {
    private final int entry;

    Pending(int entry) {
      this.entry = entry;
    }

    @Override
    public boolean isDone() {
      synchronized (twin) {
        return broken || entry < log.confirmed;
      }
    }

    @Override
    public long await() throws IOException {
      steps.step("await entry " + entry + " of log " + log.number);
      synchronized (twin) {
        if (entry < log.confirmed && !log.fenced) {
          return entry;
        }
        requireUsable();
        confirm();
      }
      steps.step("confirmed entry " + entry + " of log " + log.number);
      return entry;
    }

    private void confirm() throws IOException {
      if (!twin.canTake(log)) {
        broken = true;
        throw new QuorumUnavailableException("too few machines take entries of " + log.number);
      }
      if (twin.befalls(twin.faults().lostAdds())) {
        broken = true;
        throw new IOException("no answer to: add to log " + log.number);
      }
      thin |= twin.upOf(log) < log.quorum.write();
      log.confirm(entry);
    }
  }
}

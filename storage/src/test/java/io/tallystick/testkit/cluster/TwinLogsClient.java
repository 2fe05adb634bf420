package io.tallystick.testkit.cluster;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.EntryReader;
import io.tallystick.storage.replicated.LogWriter;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.QuorumUnavailableException;
import io.tallystick.storage.replicated.ReplicatedLogs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// One server's access to a {@link TwinLogs}. It holds no monitor while it takes a step.
final class TwinLogsClient implements ReplicatedLogs {
  private final TwinLogs twin;
  private final Steps steps;

  TwinLogsClient(TwinLogs twin, Steps steps) {
    this.twin = twin;
    this.steps = steps;
  }

  @Override
  public LogWriter create(Quorum quorum, Bytes label) throws IOException {
    steps.step("create a log");
    TwinLog log;
    synchronized (twin) {
      twin.requireReachable();
      log = twin.make(quorum, label);
      loseAnswer("create a log");
    }
    steps.step("created log " + log.number);
    return new TwinLogWriter(twin, steps, log);
  }

  @Override
  public EntryReader open(long log) throws IOException {
    steps.step("open log " + log);
    synchronized (twin) {
      twin.requireReachable();
      TwinLog found = twin.log(log);
      if (!twin.canFindEnd(found)) {
        throw new QuorumUnavailableException("too few machines hold log " + log);
      }
      return new TwinLogReader(twin, steps, found);
    }
  }

  /// Fencing and closing are two effects: the caller may pause between them.
  @Override
  public EntryReader recover(long log) throws IOException {
    steps.step("recover log " + log);
    TwinLog found;
    synchronized (twin) {
      twin.requireReachable();
      found = twin.log(log);
      requireQuorum(found);
      found.fenced = true;
    }
    steps.step("fenced log " + log);
    synchronized (twin) {
      requireQuorum(twin.log(log));
      found.recover(twin.random());
      loseAnswer("recover log " + log);
    }
    steps.step("closed log " + log);
    synchronized (twin) {
      return new TwinLogReader(twin, steps, twin.log(log));
    }
  }

  private void requireQuorum(TwinLog log) throws QuorumUnavailableException {
    if (!twin.canRecover(log)) {
      throw new QuorumUnavailableException("too few machines hold log " + log.number);
    }
  }

  @Override
  public void delete(long log) throws IOException {
    steps.step("delete log " + log);
    synchronized (twin) {
      twin.requireReachable();
      if (twin.befalls(twin.faults().lostAnswers()) && twin.random().nextBoolean()) {
        throw new IOException("no answer to: delete log " + log);
      }
      twin.remove(log);
    }
    steps.step("deleted log " + log);
  }

  @Override
  public List<Labelled> list() throws IOException {
    steps.step("list logs");
    synchronized (twin) {
      twin.requireReachable();
      List<Labelled> all = new ArrayList<>();
      for (TwinLog log : twin.logs()) {
        all.add(new Labelled(log.number, log.label));
      }
      return all;
    }
  }

  @Override
  public int machines() throws IOException {
    synchronized (twin) {
      twin.requireReachable();
      return twin.upCount();
    }
  }

  /// What was asked is done; its caller may not be told.
  private void loseAnswer(String what) throws IOException {
    if (twin.befalls(twin.faults().lostAnswers())) {
      throw new IOException("no answer to: " + what);
    }
  }
}

package io.tallystick.testkit.cluster;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.NoSuchLogException;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.QuorumUnavailableException;
import io.tallystick.storage.replicated.ReplicatedLogs;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// A twin of BookKeeper in memory: logs on some machines, of which any may be down. Each server has
/// a client of its own. What is not confirmed to a writer when its log is recovered stays or goes
/// by chance. Whoever reads an entry that nobody saw confirmed has a bug: `AssertionError`.
/// Thread-safe.
public final class TwinLogs {
  private final RandomGenerator random;
  private final int machines;
  private final Set<Integer> up;
  private final Map<Long, TwinLog> logs = new TreeMap<>();
  private TwinFaults faults = TwinFaults.NONE;
  private long made;

  /// @param random decides all that goes wrong
  public TwinLogs(int machines, RandomGenerator random) {
    this.random = random;
    this.machines = machines;
    this.up = IntStream.range(0, machines).boxed().collect(Collectors.toCollection(TreeSet::new));
  }

  /// What one server has.
  public ReplicatedLogs client(Steps steps) {
    return new TwinLogsClient(this, steps);
  }

  public synchronized void faults(TwinFaults now) {
    faults = now;
  }

  /// A machine is down; what it holds is there when it is back.
  public synchronized void stop(int machine) {
    up.remove(machine);
  }

  public synchronized void start(int machine) {
    if (machine >= machines) {
      throw new IllegalArgumentException("there is no machine " + machine);
    }
    up.add(machine);
  }

  /// Recovers a log as autorecovery does, which knows nothing of owners; a log that is gone or that
  /// too few machines hold is left alone.
  public synchronized void recoverByThirdParty(long log) {
    TwinLog found = logs.get(log);
    if (found != null && canRecover(found)) {
      found.recover(random);
    }
  }

  /// Logs that are not closed, in the order in which they were made.
  public synchronized List<Long> openLogs() {
    return logs.values().stream().filter(log -> !log.closed).map(log -> log.number).toList();
  }

  public synchronized List<Long> allLogs() {
    return List.copyOf(logs.keySet());
  }

  /// Inverts a bit of an entry.
  public synchronized void damage(long log, int entry, int offset) {
    TwinLog found = present(log);
    TwinLog.Entry good = found.entries.get(entry);
    byte[] bytes = good.bytes().toArray();
    bytes[offset] ^= 1;
    found.entries.set(entry, new TwinLog.Entry(Bytes.wrap(bytes), good.lengthAfter()));
  }

  /// Takes away the entries from one on, as if the writer had died before it sent them.
  public synchronized void tear(long log, int entry) {
    TwinLog found = present(log);
    found.close(entry);
    found.closed = false;
  }

  /// Whether bytes stand in an entry of any log.
  public synchronized boolean holds(byte[] wanted) {
    return logs.values().stream()
        .flatMap(log -> log.entries.stream())
        .anyMatch(entry -> contains(entry.bytes().unsafeArray(), wanted));
  }

  private static boolean contains(byte[] entry, byte[] wanted) {
    return IntStream.rangeClosed(0, entry.length - wanted.length)
        .anyMatch(at -> Arrays.equals(entry, at, at + wanted.length, wanted, 0, wanted.length));
  }

  private TwinLog present(long log) {
    TwinLog found = logs.get(log);
    if (found == null) {
      throw new IllegalArgumentException("there is no log " + log);
    }
    return found;
  }

  // For the clients, which hold this twin's monitor.

  RandomGenerator random() {
    return random;
  }

  TwinFaults faults() {
    return faults;
  }

  int upCount() {
    return up.size();
  }

  boolean befalls(int often) {
    return TwinFaults.befalls(often, random);
  }

  void requireReachable() throws IOException {
    if (befalls(faults.unreachable())) {
      throw new IOException("no machine answers");
    }
  }

  TwinLog log(long number) throws NoSuchLogException {
    TwinLog log = logs.get(number);
    if (log == null) {
      throw new NoSuchLogException("log " + number + " is deleted");
    }
    return log;
  }

  Iterable<TwinLog> logs() {
    return logs.values();
  }

  TwinLog make(Quorum quorum, Bytes label) throws QuorumUnavailableException {
    if (up.size() < quorum.ensemble()) {
      throw new QuorumUnavailableException(
          String.format(Locale.ROOT, "%d machines are up, want %s", up.size(), quorum));
    }
    Set<Integer> ensemble =
        up.stream().limit(quorum.ensemble()).collect(Collectors.toCollection(TreeSet::new));
    TwinLog log = new TwinLog(made++, quorum, label, ensemble);
    logs.put(log.number, log);
    return log;
  }

  void remove(long log) {
    logs.remove(log);
  }

  long upOf(TwinLog log) {
    return log.ensemble.stream().filter(up::contains).count();
  }

  /// Whether so many machines are there that one of them knows the newest confirmed entry.
  boolean canFindEnd(TwinLog log) {
    return log.closed || upOf(log) >= log.quorum.write() - log.quorum.ack() + 1;
  }

  boolean canRecover(TwinLog log) {
    return log.closed || (canFindEnd(log) && up.size() >= log.quorum.ack());
  }

  /// Whether enough machines take entries; others stand in for those that are down if there are
  /// enough.
  boolean canTake(TwinLog log) {
    if (upOf(log) < log.quorum.ack() && up.size() >= log.quorum.ensemble()) {
      log.ensemble.clear();
      up.stream().limit(log.quorum.ensemble()).forEach(log.ensemble::add);
    }
    return upOf(log) >= log.quorum.ack();
  }
}

package io.tallystick.testkit.cluster;

import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.Quorum;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/// What the machines hold of one log. Guarded by its {@link TwinLogs}.
final class TwinLog {
  final long number;
  final Quorum quorum;
  final Bytes label;
  final Set<Integer> ensemble;
  final List<Entry> entries = new ArrayList<>();

  /// Entries below this are confirmed to someone.
  int confirmed;

  boolean fenced;
  boolean closed;

  TwinLog(long number, Quorum quorum, Bytes label, Set<Integer> ensemble) {
    this.number = number;
    this.quorum = quorum;
    this.label = label;
    this.ensemble = new TreeSet<>(ensemble);
  }

  /// An entry and the length of the log through it.
  record Entry(Bytes bytes, long lengthAfter) {}

  /// Takes an entry that is not confirmed yet.
  ///
  /// @return its number
  int take(byte[] entry) {
    long before = entries.isEmpty() ? 0 : entries.getLast().lengthAfter;
    entries.add(new Entry(Bytes.wrap(entry), before + entry.length));
    return entries.size() - 1;
  }

  void confirm(int entry) {
    confirmed = Math.max(confirmed, entry + 1);
  }

  /// Closes the log behind a last entry.
  void close(int count) {
    entries.subList(count, entries.size()).clear();
    confirmed = count;
    closed = true;
  }

  /// Decides which of the entries that nobody saw confirmed stay: the first ones, so many as chance
  /// will have it.
  void recover(RandomGenerator random) {
    fenced = true;
    if (!closed) {
      close(confirmed + random.nextInt(entries.size() - confirmed + 1));
    }
  }
}

package io.tallystick.server.sim;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.server.sim.RemovedJournals.Purged;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/// What may be noted of snapshots, by the rules and not by the code: of a ledger one is kept more,
/// and others give way that are neither named by the purge in force nor among the highest few.
/// Source: `docs/formats/savepoint.md`.
record SnapshotRules(List<SimLedger> ledgers) {
  static final Bytes TABLE = Bytes.utf8("n");

  /// Snapshots of a ledger that no purge names.
  private static final int OFFERED = 4;

  SnapshotRules(Model model) {
    this(model.ledgers());
  }

  static Bytes key(SimLedger ledger, long height, Digest digest) {
    ByteBuffer key = ByteBuffer.allocate(1 + 2 * Digest.BYTES + Long.BYTES);
    key.put(prefix(ledger).toArray()).putLong(height).put(digest.toArray());
    return Bytes.wrap(key.array());
  }

  private static Bytes prefix(SimLedger ledger) {
    byte[] prefix = new byte[1 + Digest.BYTES];
    TABLE.copyInto(prefix, 0);
    ledger.strand.ledger().digest().copyInto(prefix, 1);
    return Bytes.wrap(prefix);
  }

  /// Judges what notes have made of the rows of snapshots.
  ///
  /// @param before by key
  /// @param after by key
  void check(NavigableMap<Bytes, Bytes> before, NavigableMap<Bytes, Bytes> after) {
    Set<Bytes> keys = new HashSet<>(before.keySet());
    keys.addAll(after.keySet());
    for (SimLedger ledger : ledgers) {
      NavigableMap<Bytes, Bytes> was = of(ledger, before);
      NavigableMap<Bytes, Bytes> is = of(ledger, after);
      keys.removeAll(was.keySet());
      keys.removeAll(is.keySet());
      if (!was.equals(is)) {
        check(ledger, was, is);
      }
    }
    Violation.unless(keys.isEmpty(), "snapshots %s are of no ledger", keys);
  }

  private static NavigableMap<Bytes, Bytes> of(SimLedger ledger, NavigableMap<Bytes, Bytes> rows) {
    Bytes prefix = prefix(ledger);
    NavigableMap<Bytes, Bytes> its = new TreeMap<>(rows);
    its.keySet()
        .removeIf(key -> key.size() < prefix.size() || !key.slice(0, prefix.size()).equals(prefix));
    return its;
  }

  private static void check(
      SimLedger ledger, NavigableMap<Bytes, Bytes> was, NavigableMap<Bytes, Bytes> is) {
    Set<Bytes> made = new HashSet<>(is.keySet());
    made.removeIf(key -> Objects.equals(was.get(key), is.get(key)));
    Violation.unless(made.size() <= 1, "%s snapshots of %s are noted", made.size(), ledger.strand);
    // One that is made again, in the same bytes, shows in nothing but what gives way.
    Violation.unless(
        !made.isEmpty() || is.size() >= OFFERED,
        "%s snapshots of %s are left of %s",
        is.size(),
        ledger.strand,
        was.size());
    NavigableMap<Bytes, Bytes> others = new TreeMap<>(was);
    others.keySet().removeAll(made);
    Set<Bytes> stay = new HashSet<>();
    others.descendingKeySet().stream().limit(OFFERED - 1).forEach(stay::add);
    ledger.removed.lastPurge(SimLedger.NEVER).stream()
        .map(purge -> key(ledger, purge))
        .filter(was::containsKey)
        .forEach(stay::add);
    stay.removeAll(is.keySet());
    Violation.unless(stay.isEmpty(), "snapshots %s of %s are gone", stay, ledger.strand);
  }

  private static Bytes key(SimLedger ledger, Purged purge) {
    return key(ledger, purge.height(), purge.snapshot());
  }
}

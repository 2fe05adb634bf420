package io.tallystick.server.sim;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.removal.SnapshotMaker;
import io.tallystick.server.removal.SnapshotRows;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.sim.RemovedJournals.Purged;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;

/// Has the service make snapshots for purges, of blocks at random, and compares who must sign. One
/// of a ledger is made at a time; it counts when somebody looks after its note is durable.
final class Snapshots {
  private final Machine machine;
  private final RunStatistics statistics;
  private final Map<SimLedger, Pending> pending = new LinkedHashMap<>();

  /// A snapshot whose note is under way.
  private record Pending(
      SnapshotMaker.Made made,
      SnapshotRows rows,
      long height,
      long from,
      long firstKept,
      SortedSet<Digest> affected,
      SortedSet<Digest> absent) {}

  Snapshots(Machine machine, RunStatistics statistics) {
    this.machine = machine;
    this.statistics = statistics;
  }

  void finish(Shard up) throws IOException, CorruptStreamException {
    for (SimLedger ledger : List.copyOf(pending.keySet())) {
      boolean _ = settle(up, ledger);
    }
  }

  /// @return whether there is a block to purge
  boolean prepare(Shard up, SimLedger ledger, long nowMs, SplittableRandom random)
      throws IOException, CorruptStreamException {
    if (!settle(up, ledger)) {
      return false;
    }
    StrandIndex strand = up.indexer().strand(ledger.strand);
    long blocks = strand.head().blocks();
    if (blocks < 2 || ledger.isPermanent()) {
      return false;
    }
    long height = 1 + random.nextLong(blocks - 1);
    if (random.nextBoolean()) {
      height = Math.max(height, 1 + random.nextLong(blocks - 1));
    }
    Optional<Purged> last = ledger.removed.lastPurge(strand.head().size());
    long firstKept = ledger.history.block(height).size();
    SortedSet<Digest> affected =
        affected(ledger, last.map(Purged::firstKept).orElse(0L), firstKept);
    SortedSet<Digest> absent = new TreeSet<>(affected);
    absent.removeIf(kid -> signs(ledger, kid, nowMs) && random.nextInt(10) != 0);
    SnapshotMaker maker =
        new SnapshotMaker(
            up.tables().snapshots(),
            up.removals().states(),
            up.removals().still(),
            machine.disk(),
            new CpuBatchHasher());
    boolean tooLow = last.isPresent() && firstKept <= last.get().jsn();
    long from = last.map(Purged::firstKept).orElse(0L);
    try {
      SnapshotMaker.Made made = maker.begin(strand, up.log(), height, absent);
      Violation.unless(!tooLow, "a snapshot of block %s, which is purged", height);
      SnapshotRows rows = up.tables().snapshots();
      pending.put(ledger, new Pending(made, rows, height, from, firstKept, affected, absent));
    } catch (RequestRejectedException e) {
      if (!tooLow || e.code() != RejectionCode.PURGE_TOO_LOW) {
        throw new Violation("no snapshot of block " + height, e);
      }
    }
    return true;
  }

  /// Looks what became of the one that was made last.
  ///
  /// @return whether another can be made
  @SuppressWarnings("ReferenceEquality") // one opening is not another
  private boolean settle(Shard up, SimLedger ledger) throws IOException, CorruptStreamException {
    Pending last = pending.get(ledger);
    if (last == null) {
      return true;
    }
    if (last.rows != up.tables().snapshots()) {
      pending.remove(ledger); // the service may have it, and nobody names it
      return true;
    }
    if (!last.made.isDone()) {
      return false;
    }
    pending.remove(ledger);
    try {
      Snapshot made = last.made.finish().snapshot();
      check(made, last);
      ledger.snapshots.remove(made.digest());
      ledger.snapshots.put(made.digest(), made);
      ledger.snapshotsFrom.put(made.digest(), last.from);
      statistics.snapshots++;
    } catch (RequestRejectedException e) {
      // There was no room, or the shard failed: the service may have it, and nobody names it.
    }
    return true;
  }

  private static void check(Snapshot made, Pending want) {
    boolean right =
        made.firstKept().value() == want.firstKept
            && made.height() == want.height
            && made.affected().equals(want.affected.stream().toList())
            && made.absent().equals(want.absent.stream().toList());
    Violation.unless(
        right,
        "a snapshot of block %s with affected %s, want %s without %s",
        made.height(),
        made.affected(),
        want.affected,
        want.absent);
  }

  private static boolean signs(SimLedger ledger, Digest kid, long nowMs) {
    SimLedger.KnownMember member = ledger.members.get(kid);
    return member != null && !member.revoked() && nowMs <= member.notAfterMs();
  }

  /// Who signed a journal of kind 1 or 2 that goes, or whoever took their place with their consent.
  private static SortedSet<Digest> affected(SimLedger ledger, long from, long firstKept) {
    Map<Digest, Digest> successors = new HashMap<>();
    for (long jsn = 0; jsn < firstKept; jsn++) {
      Sent sent = ledger.history.entry(jsn).sent();
      if (sent != null
          && sent.verified.headers().getFirst().extension() instanceof Extension.Grant grant
          && grant.replaces().filter(sent.verified.signerKids()::contains).isPresent()) {
        successors.put(grant.replaces().get(), grant.key().kid());
      }
    }
    SortedSet<Digest> affected = new TreeSet<>();
    for (long jsn = from; jsn < firstKept; jsn++) {
      Sent sent = ledger.history.entry(jsn).sent();
      if (sent != null && !sent.kind().governance()) {
        for (Digest kid : sent.verified.signerKids()) {
          Digest now = kid;
          while (successors.containsKey(now)) {
            now = successors.getOrDefault(now, now);
          }
          affected.add(now);
        }
      }
    }
    return affected;
  }
}

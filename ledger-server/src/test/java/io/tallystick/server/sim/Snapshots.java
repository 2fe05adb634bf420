package io.tallystick.server.sim;

import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.removal.SnapshotMaker;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.sim.RemovedJournals.Purged;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;

/// Has the service make snapshots for purges, of blocks at random, and compares who must sign.
final class Snapshots {
  private final Machine machine;
  private final RunStatistics statistics;

  Snapshots(Machine machine, RunStatistics statistics) {
    this.machine = machine;
    this.statistics = statistics;
  }

  /// @return whether there is a block to purge
  boolean prepare(Shard up, SimLedger ledger, long nowMs, SplittableRandom random)
      throws IOException, CorruptStreamException {
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
    try {
      Snapshot made = maker.make(strand, up.log(), height, absent).snapshot();
      boolean right =
          !tooLow
              && made.firstKept().value() == firstKept
              && made.height() == height
              && made.affected().equals(affected.stream().toList())
              && made.absent().equals(absent.stream().toList());
      Violation.unless(
          right,
          "a snapshot of block %s with affected %s, want %s without %s",
          made.height(),
          made.affected(),
          affected,
          absent);
      ledger.snapshots.remove(made.digest());
      ledger.snapshots.put(made.digest(), made);
      ledger.interruptedLast = false;
      ledger.snapshotsFrom.put(made.digest(), last.map(Purged::firstKept).orElse(0L));
      statistics.snapshots++;
    } catch (RequestRejectedException e) {
      if (!tooLow || e.code() != RejectionCode.PURGE_TOO_LOW) {
        throw new Violation("no snapshot of block " + height, e);
      }
    } catch (IOException | CorruptStreamException e) {
      ledger.interruptedSnapshots++;
      ledger.interruptedLast = true;
      throw e;
    }
    return true;
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

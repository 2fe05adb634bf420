package io.tallystick.server.sim;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardRemovals;
import io.tallystick.server.sim.RemovedJournals.Purged;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// What the erasing has come to: that it begins when no recall can come any more, that it is never
/// taken back, and that it ends with nothing left.
final class Erasures {
  private static final int SEARCH_ONE_IN = 4;
  private static final int CRASH_ONE_IN = 8;

  private final Machine machine;
  private final Model model;
  private final InstantSource clock;
  private final RunStatistics statistics;
  private final SplittableRandom random;

  Erasures(
      Machine machine,
      Model model,
      InstantSource clock,
      RunStatistics statistics,
      SplittableRandom random) {
    this.machine = machine;
    this.model = model;
    this.clock = clock;
    this.statistics = statistics;
    this.random = random;
  }

  /// A turn of the erasing, in which the power goes now and then.
  ShardRemovals.Left turn(Shard up) {
    if (isAtWork() && random.nextInt(CRASH_ONE_IN) == 0) {
      machine.crashSoon();
    }
    ShardRemovals.Left left = up.erasureTurn();
    if (!machine.crashed()) {
      turned(left);
    }
    return left;
  }

  private boolean isAtWork() {
    return model.ledgers().stream()
        .anyMatch(ledger -> !ledger.erased.containsAll(removals(ledger)));
  }

  private void turned(ShardRemovals.Left left) {
    boolean failed = left == ShardRemovals.Left.FAILED;
    Violation.unless(!failed || machine.troubled(), "erasing failed without a reason");
    if (left == ShardRemovals.Left.NOTHING) {
      return;
    }
    statistics.erasureTurns++;
    long nowMs = Math.max(model.timeMs, clock.millis());
    for (SimLedger ledger : model.ledgers()) {
      for (Purged purge : ledger.removed.purges()) {
        if (ledger.erasing.get(purge.jsn()) != SimLedger.Erasing.BEGUN) {
          look(ledger, purge, nowMs, failed);
        }
      }
      lookForDone(ledger, machine.meta());
    }
  }

  private void look(SimLedger ledger, Purged purge, long nowMs, boolean failed) {
    if (hasBegun(ledger, purge.jsn())) {
      Violation.unless(
          nowMs > purge.recallUntilMs(),
          "what %s removed is being erased at %s, %s ms before nobody can recall it",
          purge,
          nowMs,
          purge.recallUntilMs() - nowMs);
      Violation.unless(
          purge.isInForce(SimLedger.NEVER), "%s was recalled, and is being erased", purge);
      ledger.erasing.put(purge.jsn(), SimLedger.Erasing.BEGUN);
    } else if (failed && nowMs > purge.recallUntilMs()) {
      ledger.erasing.put(purge.jsn(), SimLedger.Erasing.TRIED);
    }
  }

  private boolean hasBegun(SimLedger ledger, long jsn) {
    try {
      Bytes row = machine.meta().get(PendingErasureRow.key(ledger.strand.ledger(), jsn));
      return isDone(ledger, jsn, machine.meta())
          || (row != null && PendingErasureRow.decode(row).hasBegun());
    } catch (IOException | MalformedException e) {
      throw new Violation("the row of an erasure", e);
    }
  }

  private static boolean isDone(SimLedger ledger, long jsn, MetaStore meta) {
    try {
      return meta.get(RemovalRows.doneKey(ledger.strand.ledger(), jsn)) != null;
    } catch (IOException e) {
      throw new Violation("the row of a removal", e);
    }
  }

  private void lookForDone(SimLedger ledger, MetaStore meta) {
    for (long jsn : removals(ledger)) {
      if (!ledger.erased.contains(jsn) && isDone(ledger, jsn, meta)) {
        ledger.erased.add(jsn);
        statistics.erased++;
      }
    }
  }

  /// All removals that stand.
  private static List<Long> removals(SimLedger ledger) {
    List<Long> jsns = new ArrayList<>();
    ledger.removed.occults().forEach(occult -> jsns.add(occult.jsn()));
    ledger.removed.purges().stream()
        .filter(purge -> purge.isInForce(SimLedger.NEVER))
        .forEach(purge -> jsns.add(purge.jsn()));
    return jsns;
  }

  /// The shard has opened, with what is stored.
  void opened() {
    for (SimLedger ledger : model.ledgers()) {
      for (Purged purge : ledger.removed.purges()) {
        boolean begun = hasBegun(ledger, purge.jsn());
        boolean known = ledger.erasing.get(purge.jsn()) == SimLedger.Erasing.BEGUN;
        Violation.unless(begun || !known, "the erasing of %s had begun, and has not now", purge);
        ledger.erasing.remove(purge.jsn());
        if (begun) {
          ledger.erasing.put(purge.jsn(), SimLedger.Erasing.BEGUN);
        }
      }
      for (long jsn : ledger.erased) {
        Violation.unless(
            isDone(ledger, jsn, machine.meta()), "removal %s was carried out, and is not", jsn);
      }
      lookForDone(ledger, machine.meta());
    }
    if (random.nextInt(SEARCH_ONE_IN) == 0) {
      search();
    }
  }

  private void search() {
    ErasedBytes gone = new ErasedBytes();
    model.ledgers().forEach(gone::addAll);
    if (!gone.isEmpty()) {
      gone.search(machine.disk().afterKill(), machine.meta().afterCrash());
      statistics.searches++;
    }
  }

  /// Nothing is left to erase.
  void finished() {
    long nowMs = Math.max(model.timeMs, clock.millis());
    for (SimLedger ledger : model.ledgers()) {
      List<Long> left = new ArrayList<>(removals(ledger));
      left.removeAll(ledger.erased);
      for (Purged purge : ledger.removed.purges()) {
        if (nowMs <= purge.recallUntilMs()) {
          left.remove(purge.jsn());
        }
      }
      Violation.unless(left.isEmpty(), "of %s, removals %s are not done", ledger.strand, left);
    }
    search();
  }
}

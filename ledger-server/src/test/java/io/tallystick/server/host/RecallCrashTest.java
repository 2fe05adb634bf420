package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: of a recall and the erasing only one comes to pass, wherever the machine dies. Method:
/// crash at each operation from the purge on, while what it removed is erased; then the clock is
/// set back into the time in which the purge can be recalled, and a recall is sent.
class RecallCrashTest {
  private static final ShardConfig CONFIG =
      TestNode.CONFIG.withSavepointEvery(1_000_000, 3_600_000);
  private static final long RECALL_MS = 1_000;
  private static final int GONE = 10_000;
  private static final int BATCHES = 3;
  private static final int BATCH = 10;
  private static final int KEPT = 20_000;

  private final Fixtures ledger = Fixtures.ledger();

  private void append(SteppedShard shard, int number, int count) throws Exception {
    var _ = shard.append(ledger, ledger.batch(number, count));
    shard.commit();
  }

  /// @return operations before the purge
  private int run(Disk disk, MetaStore meta, CrashPlan plan) throws Exception {
    AtomicLong clock = new AtomicLong(Fixtures.TIME_MS);
    try (SteppedShard shard = new SteppedShard(disk, meta, disk, CONFIG, clock)) {
      shard.found(ledger);
      shard.commit();
      for (int i = 0; i < BATCHES; i++) {
        append(shard, GONE + i * BATCH, BATCH);
      }
      append(shard, KEPT, 2);
      Snapshot snapshot = shard.prepare(ledger, BATCHES);
      int before = plan.operations();
      var _ =
          shard.append(
              ledger,
              ledger.govern(
                  Kind.PURGE,
                  new Extension.Purge(
                      snapshot.firstKept(), snapshot.height(), snapshot.digest(), RECALL_MS),
                  Fixtures.ALICE));
      shard.commit();
      append(shard, KEPT + 2, 2);
      clock.addAndGet(RECALL_MS + 1);
      shard.eraseAll();
      assertThat(OccultStory.done(shard.shard)).isOne();
      assertThat(shard.shard.savepoint()).isTrue();
      return before;
    }
  }

  private void runToTheCrash(Disk disk, MetaStore meta, CrashPlan plan) {
    try {
      int _ = run(disk, meta, plan);
    } catch (Exception | AssertionError died) {
      assertThat(plan.crashed()).isTrue();
    }
  }

  /// @return whether the purge was recalled; null if it was not there
  private @Nullable Boolean recall(InMemoryDisk disk, InMemoryMetaStore meta, String when)
      throws Exception {
    AtomicLong clock = new AtomicLong(Fixtures.TIME_MS + 10);
    try (SteppedShard shard = new SteppedShard(disk, meta, disk, CONFIG, clock)) {
      List<Purge> purges = shard.strand(ledger).head().governance().removals().purges();
      if (purges.isEmpty()) {
        return null;
      }
      AppendTicket ticket =
          shard.append(
              ledger,
              ledger.govern(
                  Kind.RECALL,
                  new Extension.Recall(new Jsn(purges.getFirst().jsn())),
                  Fixtures.ALICE));
      shard.commit();
      assertThat(ticket.receipted()).as(when).isDone();
      boolean recalled = !ticket.receipted().isCompletedExceptionally();
      assertThat(shard.shard.savepoint()).isTrue();
      clock.addAndGet(RECALL_MS);
      shard.eraseAll();
      for (int i = 0; i < BATCHES * BATCH; i++) {
        assertThat(OccultStory.found(disk, meta, GONE + i).isEmpty())
            .as("%d is gone, %s", i, when)
            .isEqualTo(!recalled);
      }
      if (!recalled) {
        assertThat(ticket.receipted().exceptionNow())
            .as(when)
            .isInstanceOfSatisfying(
                RequestRejectedException.class,
                refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.ERASURE_BEGUN));
      }
      return recalled;
    }
  }

  @Test
  void oneOfBothComesToPassWhereverItCrashes() throws Exception {
    CrashPlan clean = CrashPlan.never();
    int from = run(new CrashingDisk(clean), new CrashingMetaStore(clean), clean);
    SplittableRandom random = new SplittableRandom(20_261_128);
    int recalled = 0;
    int erased = 0;
    for (int at = from; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      runToTheCrash(disk, meta, plan);
      plan.crashNow();
      Boolean outcome = recall(disk.afterCrash(), meta.afterCrash(), "crash at operation " + at);
      if (outcome != null) {
        recalled += outcome ? 1 : 0;
        erased += outcome ? 0 : 1;
      }
    }
    assertThat(recalled).isPositive();
    assertThat(erased).isGreaterThan(5);
  }
}

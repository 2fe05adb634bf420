package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerPurges;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: wherever the machine dies while a snapshot is made, a purge committed and carried out, it
/// happens whole or not at all, and the log goes on. Method: crash at each operation of a run; then
/// open again, send all once more, and search all files and rows. Of the segments some are dropped,
/// and one has zeros written into it.
class PurgeCrashTest {
  private static final ShardConfig CONFIG = TestNode.CONFIG.withSavepointEvery(90, 3_600_000);
  private static final int GONE = 10_000;
  private static final int BATCHES = 6;
  private static final int BATCH = 50;
  private static final int KEPT = 20_000;

  private final Fixtures ledger = Fixtures.ledger();
  private final List<Submission> submissions =
      IntStream.range(0, BATCHES).mapToObj(i -> ledger.batch(GONE + i * BATCH, BATCH)).toList();

  /// The whole story, from the start or once more.
  private void tell(TestNode service) throws Exception {
    service.found(ledger);
    for (Submission each : submissions) {
      service.append(ledger, each);
    }
    service.append(ledger, ledger.single(KEPT));
    LedgerPurges purges = service.node.purges().orElseThrow();
    try {
      Snapshot snapshot = Snapshot.decode(purges.prepare(ledger.strand(), BATCHES, List.of()));
      service.append(
          ledger,
          ledger.govern(
              Kind.PURGE,
              new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
              Fixtures.ALICE));
    } catch (RequestRejectedException refusal) {
      if (refusal.code() != RejectionCode.PURGE_TOO_LOW) { // it was purged before the crash
        throw refusal;
      }
    }
    service.clock.addAndGet(10);
    service.append(ledger, ledger.single(KEPT + 1));
  }

  private boolean run(Disk disk, MetaStore meta) {
    try (TestNode service =
        new TestNode(disk, meta, TestNode.TINY_SEGMENTS, CONFIG, Fixtures.TIME_MS)) {
      tell(service);
      OccultStory.awaitErased(service, 1);
      return true;
    } catch (Exception died) {
      return false;
    }
  }

  private void checkRecovered(InMemoryDisk disk, InMemoryMetaStore meta, String when)
      throws Exception {
    try (TestNode service =
        new TestNode(disk, meta, TestNode.TINY_SEGMENTS, CONFIG, Fixtures.TIME_MS + 100)) {
      tell(service);
      OccultStory.awaitErased(service, 1);
      assertThat(OccultStory.done(service)).as(when).isEqualTo(1);
      for (int gone : List.of(GONE, GONE + BATCH, GONE + BATCHES * BATCH - 1)) {
        assertThat(OccultStory.found(disk, meta, gone)).as("%d, %s", gone, when).isEmpty();
      }
      assertThat(OccultStory.found(disk, meta, KEPT)).as(when).isNotEmpty();
      assertThat(disk.list("stream/00000000"))
          .as("segments, %s", when)
          .doesNotContain("00000000.seg", "00000001.seg");
      PseudoGenesis file =
          PseudoGenesis.decode(service.node.purges().orElseThrow().pseudoGenesis(ledger.strand()));
      long firstKept =
          file.verify(ledger.strand(), new KeyChain(List.of()), TestNode.SIGNATURES)
              .snapshot()
              .firstKept()
              .value();
      long size = service.node.newestSize(ledger.strand());
      for (long jsn = firstKept; jsn < size; jsn++) {
        var _ = service.node.journal(ledger.strand(), jsn, true);
      }
    }
  }

  @Test
  void aPurgeIsWholeWhereverItCrashes() throws Exception {
    CrashPlan clean = CrashPlan.never();
    assertThat(run(new CrashingDisk(clean), new CrashingMetaStore(clean)))
        .as("the clean run")
        .isTrue();
    SplittableRandom random = new SplittableRandom(20_261_125);
    for (int at = 20; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      var _ = run(disk, meta);
      plan.crashNow();
      checkRecovered(disk.afterCrash(), meta.afterCrash(), "crash at operation " + at);
    }
  }
}

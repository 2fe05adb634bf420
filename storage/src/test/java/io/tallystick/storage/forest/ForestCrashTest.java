package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.TieredDisk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Whatever operation a machine stops at, a force fails at or a disk is full at, the state is found
/// again as a savepoint left it, with its older versions: the last one written, or the one being
/// written; and what follows has the roots of a state made from scratch. Versions are thinned and
/// pruned on the way. Few nodes stay in memory, so most are read from where they were saved;
/// partitions are closed, folded and dropped on the way.
final class ForestCrashTest {
  private static final int BLOCKS = 90;
  private static final int BLOCKS_BETWEEN = 4;
  private static final int PRUNED_AT = 60;
  private static final ForestLimits LIMITS =
      Forests.SMALL.with(new VersionLimits(4, Long.MAX_VALUE, 100));
  private static final int SEEDS = Effort.of(1, 3);

  private final Workers workers = new Workers(1, "crash");
  private final ForestHistory history;
  private final List<List<StateEntry>> blocks = new ArrayList<>();
  private final List<Object> roots = new ArrayList<>();
  private final SavedChecks checks = new SavedChecks();
  private final ReferenceForest whole;

  ForestCrashTest() {
    history = new ForestHistory(new SplittableRandom(5));
    whole = new ReferenceForest(history.params());
    roots.add(whole.root());
    for (int height = 1; height <= BLOCKS; height++) {
      List<StateEntry> block = history.block();
      blocks.add(block);
      whole.apply(height, block);
      roots.add(whole.root());
      checks.know(height, history, whole);
    }
    assertThat(whole.knowsAll()).as("the fold has dropped partitions").isFalse();
  }

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  /// What the run knows when it is stopped: heights.
  private static final class Progress {
    private long saved;
    private long saving;
  }

  @Test
  void isFoundAgainAfterACrashAtEveryOperation() throws Exception {
    int operations = operationsOfACleanRun();
    for (int at = 0; at < operations; at++) {
      for (int seed = 0; seed < SEEDS; seed++) {
        CrashPlan plan = CrashPlan.at(at, new SplittableRandom(31L * at + seed));
        CrashingDisk disk = new CrashingDisk(plan);
        CrashingMetaStore meta = new CrashingMetaStore(plan);
        Progress progress = new Progress();
        try {
          run(disk, meta, progress);
        } catch (IOException e) {
          assertThat(plan.crashed()).as("stopped by %s", e).isTrue();
        }
        assertThat(plan.crashed()).isTrue(); // within the last deletion perhaps, which may fail
        assertRecovers(disk.afterCrash(), meta.afterCrash(), progress);
      }
    }
  }

  /// Closed partitions go to a disk of their own, which stops at the same moment.
  @Test
  void isFoundAgainAfterACrashAtEveryOperationOfTwoDisks() throws Exception {
    CrashPlan clean = CrashPlan.never();
    CrashingDisk cleanCold = new CrashingDisk(clean);
    run(tiered(new CrashingDisk(clean), cleanCold), new CrashingMetaStore(clean), new Progress());
    assertThat(cleanCold.list(PartFormat.directory(Forests.STRAND))).isNotEmpty();
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, new SplittableRandom(41L * at));
      CrashingDisk hot = new CrashingDisk(plan);
      CrashingDisk cold = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      Progress progress = new Progress();
      try {
        run(tiered(hot, cold), meta, progress);
      } catch (IOException e) {
        assertThat(plan.crashed()).as("stopped by %s", e).isTrue();
      }
      assertThat(plan.crashed()).isTrue();
      assertRecovers(tiered(hot.afterCrash(), cold.afterCrash()), meta.afterCrash(), progress);
    }
  }

  private static Disk tiered(Disk hot, Disk cold) throws IOException {
    return TieredDisk.open(
        hot, cold, ForestStore.FOLDER, ForestStore::isPartition, new SplittableRandom(1));
  }

  @Test
  void isFoundAgainAfterEveryFailedForce() throws Exception {
    assertThat(failures(at -> CrashPlan.failForceAt(at, new SplittableRandom(at))))
        .isGreaterThan(20);
  }

  @Test
  void isFoundAgainAfterEveryWriteThatFoundTheDiskFull() throws Exception {
    assertThat(failures(at -> CrashPlan.diskFullAt(at, new SplittableRandom(at))))
        .isGreaterThan(20);
  }

  private interface Plans {
    CrashPlan at(int operation);
  }

  private int failures(Plans plans) throws Exception {
    int operations = operationsOfACleanRun();
    int failures = 0;
    for (int at = 0; at < operations; at++) {
      CrashPlan plan = plans.at(at);
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      Progress progress = new Progress();
      try {
        run(disk, meta, progress);
      } catch (IOException e) {
        assertThat(progress.saved).as("stopped by %s", e).isLessThan(BLOCKS);
      }
      plan.crashNow();
      assertRecovers(disk.afterCrash(), meta.afterCrash(), progress);
      failures += plan.fired() ? 1 : 0;
    }
    return failures;
  }

  private int operationsOfACleanRun() throws Exception {
    CrashPlan plan = CrashPlan.never();
    CrashingDisk disk = new CrashingDisk(plan);
    run(disk, new CrashingMetaStore(plan), new Progress());
    List<String> files = disk.list(PartFormat.directory(Forests.STRAND));
    assertThat(files).as("partitions were moved").isNotEmpty();
    assertThat(files).as("and dropped").doesNotContain(PartFormat.fileName(0, 0));
    assertThat(plan.operations()).isGreaterThan(60);
    return plan.operations();
  }

  private void run(Disk disk, MetaStore meta, Progress progress) throws Exception {
    try (Forests forests = Forests.open(disk, meta, workers, LIMITS)) {
      StateForest forest = forests.forest(history.params());
      for (long height = forest.version().height() + 1; height <= BLOCKS; height++) {
        forest.apply(height, Forests.held(blocks.get((int) height - 1)));
        assertThat((Object) forest.version().root().digest()).isEqualTo(roots.get((int) height));
        if (height % BLOCKS_BETWEEN == 0 || height == BLOCKS) {
          progress.saving = forest.version().height();
          if (height == PRUNED_AT) {
            forest.prune(PRUNED_AT - 2 * BLOCKS_BETWEEN);
          }
          forests.savepoint(forest);
          progress.saved = progress.saving;
        }
      }
    }
  }

  private void assertRecovers(Disk disk, InMemoryMetaStore meta, Progress progress)
      throws Exception {
    try (Forests forests = Forests.open(disk, meta, workers, LIMITS)) {
      StateForest forest = forests.forest(history.params());
      assertThat(checks.assertSaved(forests, forest)).isEqualTo(SavedChecks.found(disk, forest));
      ForestVersion found = forest.version();
      assertThat(found.height()).isIn(progress.saved, progress.saving);
      assertThat((Object) found.root().digest()).isEqualTo(roots.get((int) found.height()));
    }
    run(disk, meta, progress);
    try (Forests forests = Forests.open(disk, meta, workers, LIMITS);
        ForestReader reader = forests.forest(history.params()).version().open().orElseThrow()) {
      assertThat(reader.page(Bytes.EMPTY, null, 10_000, Long.MAX_VALUE).entries())
          .isEqualTo(Forests.held(history.present(Bytes.EMPTY, Optional.empty())));
    }
  }
}

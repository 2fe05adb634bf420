package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.StateParams;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Older versions of a state go when they are pruned, from any thread and from memory alone; the
/// newest stays.
final class ForestPruneTest {
  private static final StateParams PARAMS = StateParams.of(1 << 20, 8, 8);
  private static final ForestLimits LIMITS =
      new ForestLimits(1 << 20, 100 << 20, 64, ForestLimits.UNLIMITED, 1000);

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(1, "prune");

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Forests open() throws Exception {
    return Forests.open(disk, meta, workers, LIMITS, SlotLimits.DEFAULT);
  }

  private static void put(StateForest forest, long height) throws Exception {
    forest.apply(height, Forests.puts(0, 20, 16, 100 * height));
  }

  private static StateForest.Kept kept(StateForest forest) {
    return forest.kept().orElseThrow();
  }

  @Test
  void dropsWhatNoBlockFromTheHeightOnHas() throws Exception {
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      for (long height = 10; height <= 50; height += 10) {
        put(forest, height);
      }
      StateForest.Kept all = kept(forest);
      assertThat(all.oldestHeight()).as("before any block").isZero();
      assertThat(all.olderCount()).isEqualTo(5);
      assertThat(all.olderBytes()).isEqualTo(forests.store().replacedBytes()).isPositive();
      ForestReader reader =
          ((StateForest.At.Kept) forest.versionAt(12)).version().open().orElseThrow();
      forest.prune(29);
      StateForest.Kept some = kept(forest);
      assertThat(some.oldestHeight()).as("the state of block 29, too").isEqualTo(20);
      assertThat(some.olderCount()).isEqualTo(3);
      assertThat(some.olderBytes())
          .isEqualTo(forests.store().replacedBytes())
          .isLessThan(all.olderBytes());
      assertThat(forest.versionAt(19)).isEqualTo(new StateForest.At.Pruned(20));
      assertThat(forest.versionAt(29)).isInstanceOf(StateForest.At.Kept.class);
      assertThat(reader.find(Forests.key(0, 16)).orElseThrow())
          .as("who reads goes on")
          .isEqualTo(Forests.puts(0, 1, 16, 1000).getFirst());
      reader.close();
      forest.prune(20);
      assertThat(kept(forest)).isEqualTo(some);
    }
  }

  @Test
  void keepsTheNewest() throws Exception {
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      for (long height = 1; height <= 5; height++) {
        put(forest, height);
      }
      forest.prune(1000);
      assertThat(kept(forest)).isEqualTo(new StateForest.Kept(5, 0, 0));
      assertThat(forests.store().replacedBytes()).isZero();
      assertThat(((StateForest.At.Kept) forest.versionAt(1000)).version())
          .isSameAs(forest.version());
      forest.prune(0);
      put(forest, 6);
      assertThat(kept(forest).oldestHeight()).isEqualTo(5);
    }
  }

  /// While blocks are applied and saved: the newest is always there, and nothing is counted twice.
  @Test
  void mayBeDoneByAnyThread() throws Exception {
    int blocks = 10_000;
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      Thread pruning =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  while (forest.version().height() < blocks) {
                    long newest = forest.version().height();
                    forest.prune(newest + 1);
                    assertThat(forest.versionAt(Long.MAX_VALUE))
                        .isInstanceOf(StateForest.At.Kept.class);
                  }
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      for (long height = 1; height <= blocks; height++) {
        forest.apply(height, Forests.puts(0, 1, 16, height));
        if (height % 500 == 0) {
          forests.savepoint(forest);
        }
      }
      pruning.join();
      assertThat(failure.get()).isNull();
      assertThat(kept(forest).olderBytes()).isEqualTo(forests.store().replacedBytes());
      forest.prune(blocks);
      assertThat(forests.store().replacedBytes()).isZero();
    }
  }
}

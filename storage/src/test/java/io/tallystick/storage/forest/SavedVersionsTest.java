package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.forest.SavedList.Saved;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: each version that savepoints keep is the state that it was, for as long as it is kept and
/// while somebody reads it, and takes no slot and no file that none of them has. Method: random
/// histories of small partitions, with the fold, files, thinning, pruning and new starts, against
/// the entries that each height had.
final class SavedVersionsTest {
  private static final int BLOCKS = Effort.of(100, 1500);

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(1, "saved");
  private final SavedChecks checks = new SavedChecks();
  private final List<Reading> readings = new ArrayList<>();
  private int savedSeen;

  private record Reading(long height, ForestReader reader) {}

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void keepsVersionsAsTheyWereAndNothingElse(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    ForestHistory history = new ForestHistory(random.split());
    ReferenceForest reference = new ReferenceForest(history.params());
    List<List<HeldEntry>> blocks = new ArrayList<>();
    ForestLimits limits = limits(random);
    Forests forests = Forests.open(disk, meta, workers, limits);
    StateForest forest = forests.forest(history.params());
    for (long height = 1; height <= BLOCKS; height++) {
      var block = history.block();
      reference.apply(height, block);
      blocks.add(Forests.held(block));
      forest.apply(height, Forests.held(block));
      checks.know(forest.version().height(), history, reference);
      switch (random.nextInt(13)) {
        case 0, 1, 2, 3 -> savepoint(forests, forest);
        case 4 -> read(forest, random);
        case 5 -> end(random);
        case 6 -> forest.prune(random.nextLong(height + 1));
        case 7 -> {
          savepoint(forests, forest);
          endAll();
          forests.close();
          forests = Forests.open(disk, meta, workers, limits);
          forest = forests.forest(history.params());
          assertSaved(forests, forest);
        }
        case 8 -> {
          savepoint(forests, forest);
          endAll();
          forest = rebuilt(forests, forest, blocks, random);
          assertSaved(forests, forest);
        }
        default -> {}
      }
    }
    savepoint(forests, forest);
    endAll();
    forest.prune(BLOCKS);
    savepoint(forests, forest);
    assertThat(forest.kept().orElseThrow().olderCount()).isZero();
    forests.close();
    assertThat(savedSeen).as("older versions were there").isGreaterThan(50);
  }

  private static ForestLimits limits(SplittableRandom random) {
    long bytes =
        switch (random.nextInt(3)) {
          case 0 -> VersionLimits.AS_NEWEST;
          case 1 -> 30_000;
          default -> Long.MAX_VALUE;
        };
    long between = random.nextBoolean() ? 40 : 1_000_000;
    return Forests.SMALL.with(new VersionLimits(1 + random.nextInt(9), bytes, between));
  }

  /// Filled again, with the versions that the last savepoint had.
  private static StateForest rebuilt(
      Forests forests, StateForest old, List<List<HeldEntry>> blocks, SplittableRandom random)
      throws Exception {
    List<Long> heights = forests.store().savedHeights(Forests.STRAND);
    StateForest filling = forests.store().startOver(Forests.STRAND, old.params());
    if (!heights.contains(0L)) {
      filling.startsLater();
    }
    for (int i = 0; i < blocks.size(); i++) {
      filling.apply(i + 1, blocks.get(i));
      if (filling.version().height() == i + 1 && heights.contains(i + 1L)) {
        filling.keepVersion();
      } else if (random.nextInt(5) == 0) {
        filling.spill();
      }
    }
    assertThat(forests.store().publish(filling, old.version().root().digest())).isZero();
    forests.savepoint(filling);
    // Partitions that were in files take slots again, so there may be too many bytes.
    assertThat(heights).containsAll(filling.savedHeights()).endsWith(filling.version().height());
    return filling;
  }

  private void savepoint(Forests forests, StateForest forest) throws Exception {
    forests.savepoint(forest);
    assertSaved(forests, forest);
  }

  private void assertSaved(Forests forests, StateForest forest) throws Exception {
    Set<String> files = checks.assertSaved(forests, forest);
    savedSeen += forest.savedVersions().versions().size() - 1;
    if (readings.isEmpty()) {
      assertThat(SavedChecks.found(disk, forest)).isEqualTo(files);
    }
  }

  private void read(StateForest forest, SplittableRandom random) throws Exception {
    List<Saved> saved = forest.savedVersions().versions();
    if (!saved.isEmpty()) {
      long height = saved.get(random.nextInt(saved.size())).height();
      readings.add(
          new Reading(height, SavedChecks.savedVersion(forest, height).open().orElseThrow()));
    }
    ForestVersion newest = forest.version();
    readings.add(new Reading(newest.height(), newest.open().orElseThrow()));
  }

  private void end(SplittableRandom random) throws Exception {
    if (!readings.isEmpty()) {
      Reading reading = readings.remove(random.nextInt(readings.size()));
      checks.assertHolds(reading.height(), reading.reader());
    }
  }

  private void endAll() throws Exception {
    for (Reading reading : readings) {
      checks.assertHolds(reading.height(), reading.reader());
    }
    readings.clear();
  }
}

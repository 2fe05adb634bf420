package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.page.SlotList;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A state with a damaged node goes back to the newest version that is older than the node's slot,
/// and is filled again from there: it is what it was, older versions too, and no slot or file is
/// left over.
final class ForestRollbackTest {
  private static final int BLOCKS = 120;
  private static final ForestLimits LIMITS =
      Forests.SMALL.with(new VersionLimits(8, Long.MAX_VALUE, 1_000_000));

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(1, "rollback");
  private final SavedChecks checks = new SavedChecks();
  private final List<List<HeldEntry>> blocks = new ArrayList<>();

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Forests open() throws Exception {
    return Forests.open(disk, meta, workers, LIMITS);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void goesBackPastTheDamage(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    ForestHistory history = new ForestHistory(random.split());
    ReferenceForest reference = new ReferenceForest(history.params());
    try (Forests forests = open()) {
      StateForest forest = forests.forest(history.params());
      while (blocks.size() < BLOCKS) {
        apply(forest, history, reference);
        if (random.nextInt(4) == 0) {
          forests.savepoint(forest);
        }
      }
      forests.savepoint(forest);
    }
    CorruptStreamException damage;
    try (Forests forests = open()) {
      damageNewest(forests, forests.forest(history.params()), random);
    }
    try (Forests forests = open()) {
      StateForest forest = forests.forest(history.params());
      List<Long> heights = forest.savedHeights();
      damage = damage(forest);
      long back = forest.olderThan(damage.file(), damage.offset()).orElseThrow();
      assertThat(heights.subList(0, heights.size() - 1)).contains(back);
      StateForest filling = forests.store().rollBack(forest, back).orElseThrow();
      for (int i = (int) back; i < blocks.size(); i++) {
        filling.apply(i + 1, blocks.get(i));
        if (heights.contains(filling.version().height())) {
          filling.keepVersion();
        } else if (random.nextInt(4) == 0) {
          filling.spill();
        }
      }
      forests.store().publishRolledBack(filling, forest, back);
      forests.savepoint(filling);
      assertThat(filling.savedHeights()).isEqualTo(heights);
      assertThat(checks.assertSaved(forests, filling)).isEqualTo(SavedChecks.found(disk, filling));
      assertThat(forest.versionAt(BLOCKS)).isEqualTo(new StateForest.At.Changed());
      for (int i = 0; i < 20; i++) {
        apply(filling, history, reference);
      }
      forests.savepoint(filling);
      checks.assertSaved(forests, filling);
    }
    try (Forests forests = open()) {
      StateForest forest = forests.forest(history.params());
      assertThat(checks.assertSaved(forests, forest)).isEqualTo(SavedChecks.found(disk, forest));
      assertThat((Object) forest.version().root().digest()).isEqualTo(reference.root());
    }
  }

  private void apply(StateForest forest, ForestHistory history, ReferenceForest reference)
      throws Exception {
    var block = history.block();
    blocks.add(Forests.held(block));
    reference.apply(blocks.size(), block);
    forest.apply(blocks.size(), blocks.getLast());
    checks.know(forest.version().height(), history, reference);
  }

  /// A slot that the newest version has, and the oldest has not.
  private void damageNewest(Forests forests, StateForest forest, SplittableRandom random)
      throws Exception {
    GivenUp newest = new GivenUp();
    for (ForestPartition partition : forest.version().partitions()) {
      if (partition.pages() instanceof SlotPages slots) {
        newest.addAll(slots, forests.store().cache(), partition.root());
      }
    }
    SlotList late = forest.takenAbove(forest.savedHeights().getFirst());
    long[] candidates = newest.slots().in(late).addresses();
    long address = candidates[random.nextInt(candidates.length)];
    CorruptStreamException place = forests.store().slots().damage(address, "to come");
    try (DiskFile file = disk.open(place.file())) {
      file.write(place.offset(), ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
    }
  }

  private static CorruptStreamException damage(StateForest forest) throws Exception {
    try (ForestReader reader = forest.version().open().orElseThrow()) {
      return catchThrowableOfType(
          CorruptStreamException.class,
          () -> reader.page(Bytes.EMPTY, null, 10_000, Long.MAX_VALUE));
    }
  }
}

package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.forest.ForestHistory;
import io.tallystick.testkit.forest.ReferenceForest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A state that is rebuilt beside the old one is what the history says, does not disturb readers of
/// the old one until a savepoint holds the new, nor those of other strands; its slots and the old
/// one's are used again.
final class ForestRebuildTest {
  private static final int BLOCKS = 60;
  private static final StrandId OTHER = Forests.strand(1);

  private final Workers workers = new Workers(1, "rebuild");
  private final List<List<StateEntry>> blocks = new ArrayList<>();
  private ForestLimits limits = Forests.SMALL;
  private InMemoryDisk disk = new InMemoryDisk();
  private InMemoryMetaStore meta = new InMemoryMetaStore();
  private ForestHistory history = new ForestHistory(new SplittableRandom(8));
  private ReferenceForest whole = new ReferenceForest(history.params());

  @BeforeEach
  void makeStates() throws Exception {
    disk = new InMemoryDisk();
    meta = new InMemoryMetaStore();
    history = new ForestHistory(new SplittableRandom(8));
    whole = new ReferenceForest(history.params());
    blocks.clear();
    try (Forests forests = open(disk, meta)) {
      StateForest forest = forests.forest(history.params());
      StateForest other = forests.store().forest(OTHER, history.params());
      for (int height = 1; height <= BLOCKS; height++) {
        List<StateEntry> block = history.block();
        blocks.add(block);
        whole.apply(height, block);
        forest.apply(height, Forests.held(block));
        other.apply(height, Forests.held(block));
        if (height % 5 == 0) {
          forests.savepoint(forest, other);
        }
      }
    }
  }

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Forests open(Disk onDisk, MetaStore inMeta) throws IOException, CorruptStreamException {
    return Forests.open(onDisk, inMeta, workers, limits);
  }

  /// What the last blocks made waits for the savepoint.
  private StateForest filled(Forests forests) throws Exception {
    StateForest forest = forests.store().startOver(Forests.STRAND, history.params());
    for (int height = 1; height <= BLOCKS; height++) {
      forest.apply(height, Forests.held(blocks.get(height - 1)));
      if (height % 7 == 0) {
        assertThat(forest.unsavedBytes()).isPositive();
        forest.spill();
        assertThat(forest.unsavedBytes()).isZero();
      }
    }
    return forest;
  }

  private void assertHolds(ForestVersion version) throws Exception {
    assertThat(version.root().digest()).isEqualTo(whole.root());
    try (ForestReader reader = version.open().orElseThrow()) {
      assertHolds(reader);
    }
  }

  private void assertHolds(ForestReader reader) throws Exception {
    assertThat(reader.page(Bytes.EMPTY, null, 10_000, Long.MAX_VALUE).entries())
        .isEqualTo(Forests.held(history.present(Bytes.EMPTY, Optional.empty())));
  }

  private long publish(Forests forests, StateForest forest) throws Exception {
    Digest root = forests.forest(history.params()).version().root().digest();
    return forests.store().publish(forest, root);
  }

  @Test
  void takesTheOldOnesPlaceAndGivesItsSlotsUp() throws Exception {
    limits = Forests.ALL_IN_SLOTS;
    makeStates();
    try (Forests forests = open(disk, meta)) {
      long live = forests.store().slots().liveBytes();
      ForestVersion old = forests.forest(history.params()).version();
      ForestReader reader = old.open().orElseThrow();
      StateForest forest = filled(forests);
      assertThat(forests.store().slots().liveBytes()).as("both").isLessThan(live * 8 / 5);
      assertThat(publish(forests, forest)).isZero();
      assertThat(forests.forest(history.params())).isSameAs(forest);
      forests.savepoint(forest);
      for (int i = 0; i < 4; i++) {
        forest.apply(100 + i, Forests.puts(0, 50, 3, 1000 + 100 * i));
        forests.savepoint(forest);
        assertHolds(reader);
      }
      reader.close();
      forest.apply(200, Forests.puts(0, 50, 3, 5000));
      forests.savepoint(forest);
      assertThat(old.open()).isEmpty();
    }
    try (Forests forests = open(disk, meta)) {
      assertHolds(forests.store().forest(OTHER, history.params()).version());
    }
  }

  @Test
  void givesUpAllSlotsOfTheOldOne() throws Exception {
    limits = Forests.ALL_IN_SLOTS;
    makeStates();
    try (Forests forests = open(disk, meta)) {
      long older = forests.forest(history.params()).kept().orElseThrow().olderBytes();
      long live = forests.store().slots().liveBytes() - older;
      StateForest forest = filled(forests);
      assertThat(publish(forests, forest)).isZero();
      forests.savepoint(forest);
      assertThat(older).isPositive();
      assertThat(forests.store().slots().liveBytes()).isEqualTo(live);
      assertHolds(forest.version());
    }
    try (Forests forests = open(disk, meta)) {
      assertHolds(forests.forest(history.params()).version());
    }
  }

  @Test
  void deletesTheFilesOfTheOldOne() throws Exception {
    assertThat(files(Forests.STRAND)).isNotEmpty();
    List<String> others = files(OTHER);
    try (Forests forests = open(disk, meta)) {
      assertThat(publish(forests, filled(forests))).isZero();
      assertThat(files(Forests.STRAND)).as("before the savepoint").isNotEmpty();
      forests.savepoint(forests.forest(history.params()));
      assertThat(files(Forests.STRAND)).isEmpty();
      assertThat(files(OTHER)).isEqualTo(others);
    }
  }

  private List<String> files(StrandId strand) {
    return disk.list(PartFormat.directory(strand));
  }

  @Test
  void countsDamagedNodesAndGivesUpTheSlotsOfAllOthers() throws Exception {
    String name = "forest/2048.slots";
    for (long at = 0; at < disk.size(name); at += 2048) {
      InMemoryDisk damaged = disk.copy();
      damaged.overwrite(name, at, new byte[2048]);
      InMemoryMetaStore rows = meta.copy();
      try (Forests forests = open(damaged, rows)) {
        StateForest forest = filled(forests);
        assertThat(publish(forests, forest)).isBetween(0L, 1L);
        forests.savepoint(forest);
        assertHolds(forest.version());
      }
      try (Forests forests = open(damaged, rows)) {
        assertHolds(forests.forest(history.params()).version());
      }
    }
  }

  @Test
  void opensEmptyOnceErasedWhateverTheSlotsAre() throws Exception {
    disk.open("forest/2048.slots").truncate(96);
    assertThatThrownBy(() -> open(disk, meta)).isInstanceOf(CorruptStreamException.class);
    MetaBatch batch = new MetaBatch();
    ForestStore.erase(meta, batch);
    meta.write(batch);
    ForestStore.deleteFiles(disk);
    meta.scan(
        Bytes.EMPTY,
        null,
        (key, _) -> {
          assertThat(SavedKeys.outlivesState(key)).as("row left: %s", key).isTrue();
          return true;
        });
    assertThat(disk.names()).isEmpty();
    try (Forests forests = open(disk, meta)) {
      StateForest forest = filled(forests);
      assertThat(publish(forests, forest)).isZero();
      forests.savepoint(forest);
    }
    try (Forests forests = open(disk, meta)) {
      assertHolds(forests.forest(history.params()).version());
    }
  }

  /// An empty state in the place of one that should not be there.
  @Test
  void anEmptyOneTakesTheRowAway() throws Exception {
    try (Forests forests = open(disk, meta)) {
      StateForest empty = forests.store().startOver(Forests.STRAND, history.params());
      assertThat(publish(forests, empty)).isZero();
      forests.savepoint(empty);
    }
    try (Forests forests = open(disk, meta)) {
      assertThat(forests.forest(history.params()).version().partitionCount()).isZero();
      assertHolds(forests.store().forest(OTHER, history.params()).version());
    }
  }

  /// The row of another strand's state in this one's place must not cost that one its slots.
  @Test
  void givesUpNothingOfAStateWithAnotherRoot() throws Exception {
    try (Forests forests = open(disk, meta)) {
      long live = forests.store().slots().liveBytes();
      StateForest forest = filled(forests);
      assertThat(forests.store().publish(forest, Digest.ZERO)).isEqualTo(-1);
      forests.savepoint(forest);
      assertThat(forests.store().slots().liveBytes()).isGreaterThan(live);
    }
  }

  /// A state in memory alone, versions and files included, leaves nothing behind.
  @Test
  void closesAStateWithAnotherRoot() throws Exception {
    try (Forests forests = open(disk, meta)) {
      StateForest old = forests.forest(history.params());
      for (int height = BLOCKS + 1; height <= BLOCKS + 4; height++) {
        old.apply(height, Forests.held(history.block()));
      }
      assertThat(files(Forests.STRAND)).isNotEmpty();
      assertThat(old.unsavedBytes()).isPositive();
      assertThat(forests.store().replacedBytes()).isPositive();
      StateForest forest = filled(forests);
      assertThat(forests.store().publish(forest, Digest.ZERO)).isEqualTo(-1);
      assertThat(forests.store().unsavedBytes()).isEqualTo(forest.unsavedBytes());
      assertThat(forests.store().replacedBytes()).isZero();
      assertThat(old.versionAt(BLOCKS + 4)).isEqualTo(new VersionAt.Changed());
      forests.savepoint(forest);
      assertThat(files(Forests.STRAND)).isEmpty();
    }
  }

  /// A disk that fails says nothing of the nodes: no slot is counted as lost, and the old state
  /// stays what it was.
  @Test
  void aFailedReadLosesNoSlots() throws Exception {
    limits = Forests.ALL_IN_SLOTS;
    makeStates();
    AtomicBoolean failing = new AtomicBoolean();
    try (Forests forests = open(failing(failing), meta)) {
      StateForest old = forests.forest(history.params());
      StateForest forest = filled(forests);
      Digest root = old.version().root().digest();
      failing.set(true);
      assertThatThrownBy(() -> forests.store().publish(forest, root))
          .isInstanceOf(IOException.class)
          .hasMessage("no read, by plan");
      failing.set(false);
      assertThat(forests.forest(history.params())).isSameAs(old);
      assertThat(forests.store().publish(forest, root)).isZero();
      forests.savepoint(forest);
      assertHolds(forest.version());
    }
  }

  private Disk failing(AtomicBoolean failing) {
    return new ForwardingDisk(disk) {
      @Override
      public DiskFile open(String name) throws IOException {
        return new ForwardingFile(super.open(name)) {
          @Override
          public int read(long position, ByteBuffer into) throws IOException {
            if (failing.get()) {
              throw new IOException("no read, by plan");
            }
            return super.read(position, into);
          }
        };
      }
    };
  }

  @Test
  void leavesTheOldOneAsItWasWhereverItCrashes() throws Exception {
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(disk, clean), new CrashingMetaStore(meta, clean));
    assertThat(clean.operations()).isGreaterThan(10);
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, new SplittableRandom(at));
      CrashingDisk crashing = new CrashingDisk(disk, plan);
      CrashingMetaStore rows = new CrashingMetaStore(meta, plan);
      try {
        run(crashing, rows);
      } catch (IOException e) {
        assertThat(plan.crashed()).as("stopped by %s", e).isTrue();
      }
      assertThat(plan.crashed()).isTrue(); // within the last deletion perhaps, which may fail
      InMemoryDisk left = crashing.afterCrash();
      InMemoryMetaStore leftRows = rows.afterCrash();
      try (Forests forests = open(left, leftRows)) {
        assertHolds(forests.forest(history.params()).version());
        assertHolds(forests.store().forest(OTHER, history.params()).version());
      }
      run(left, leftRows);
      try (Forests forests = open(left, leftRows)) {
        assertHolds(forests.forest(history.params()).version());
        assertHolds(forests.store().forest(OTHER, history.params()).version());
      }
    }
  }

  private void run(Disk onDisk, MetaStore inMeta) throws Exception {
    try (Forests forests = open(onDisk, inMeta)) {
      StateForest forest = filled(forests);
      publish(forests, forest);
      forests.savepoint(forest);
    }
  }
}

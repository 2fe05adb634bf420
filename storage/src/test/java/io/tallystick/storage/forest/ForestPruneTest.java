package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.page.SlotSizes;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Older versions of a state that are pruned go with the next savepoint, and after a new start,
/// too; the newest stays.
final class ForestPruneTest {
  private static final StateParams PARAMS = StateParams.of(1 << 20, 8, 8);
  private static final ForestLimits LIMITS =
      new ForestLimits(
          1 << 20, 100 << 20, 8, 1 << 20, 1000, new VersionLimits(40, Long.MAX_VALUE, 1 << 20));

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(1, "prune");

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Forests open() throws Exception {
    return Forests.open(disk, meta, workers, LIMITS);
  }

  private static void put(StateForest forest, long height) throws Exception {
    forest.apply(height, Forests.puts(0, 20, 16, 100 * height));
  }

  private static KeptVersions kept(StateForest forest) {
    return forest.kept().orElseThrow();
  }

  private static KeptVersions newestAlone(long height) {
    return new KeptVersions(height, 0, 0, LIMITS.saved(), OwnLimits.NONE);
  }

  @Test
  void dropsWhatNoBlockFromTheHeightOnHas() throws Exception {
    KeptVersions some;
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      for (long height = 10; height <= 50; height += 10) {
        put(forest, height);
        forests.savepoint(forest);
      }
      KeptVersions all = kept(forest);
      assertThat(all.oldestHeight()).as("before any block").isZero();
      assertThat(all.olderCount()).isEqualTo(5);
      assertThat(all.olderBytes()).isPositive();
      long file = forests.store().slots().fileBytes();
      ForestReader reader = ((VersionAt.Saved) forest.versionAt(12)).version().open().orElseThrow();
      ForestVersion late = ((VersionAt.Saved) forest.versionAt(12)).version();
      forest.prune(29);
      assertThat(forests.store().savepointDue()).isTrue();
      forests.savepoint();
      assertThat(late.open()).as("who comes late does not begin").isEmpty();
      some = kept(forest);
      assertThat(some.oldestHeight()).as("the state of block 29, too").isEqualTo(20);
      assertThat(some.olderCount()).isEqualTo(3);
      assertThat(some.olderBytes()).isLessThan(all.olderBytes());
      assertThat(forest.versionAt(19)).isEqualTo(new VersionAt.Pruned(20));
      assertThat(forest.versionAt(29)).isInstanceOf(VersionAt.Saved.class);
      put(forest, 60);
      forests.savepoint(forest);
      assertThat(forests.store().slots().fileBytes()).as("it is read").isGreaterThan(file);
      file = forests.store().slots().fileBytes();
      assertThat(reader.find(Forests.key(0, 16)).orElseThrow())
          .as("who reads goes on")
          .isEqualTo(Forests.puts(0, 1, 16, 1000).getFirst());
      reader.close();
      forests.store().saved();
      put(forest, 70);
      forests.savepoint(forest);
      assertThat(forests.store().slots().fileBytes()).as("its slots").isEqualTo(file);
      some = kept(forest);
    }
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      assertThat(kept(forest)).isEqualTo(some);
      forest.prune(20);
      assertThat(forests.store().savepointDue()).as("nothing is older").isTrue();
      forests.savepoint();
      assertThat(kept(forest)).isEqualTo(some);
    }
  }

  @Test
  void keepsWhatTheStrandsOwnLimitsAllow() throws Exception {
    OwnLimits own = new OwnLimits(OptionalInt.of(2), OptionalLong.of(1L << 40));
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      for (long height = 1; height <= 6; height++) {
        put(forest, height);
        forests.savepoint(forest);
      }
      forest.limit(own);
      forests.savepoint();
      assertThat(kept(forest).olderCount()).isEqualTo(2);
    }
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      assertThat(kept(forest).own()).isEqualTo(own);
      put(forest, 7);
      forests.savepoint(forest);
      assertThat(kept(forest).olderCount()).isEqualTo(2);
      StateForest again = forests.store().startOver(Forests.STRAND, PARAMS);
      again.apply(7, Forests.puts(0, 20, 16, 700));
      forests.store().publish(again, forest.version().root().digest());
      forests.savepoint(again);
      assertThat(kept(again).own()).as("of a state that was filled again").isEqualTo(own);
      MetaBatch batch = new MetaBatch();
      ForestStore.erase(meta, batch);
      meta.write(batch);
      assertThat(OwnLimits.read(meta, Forests.STRAND)).isEqualTo(own);
      again.limit(OwnLimits.NONE);
      forests.savepoint();
      assertThat(meta.get(SavedKeys.limits(Forests.STRAND))).isNull();
      for (long height = 8; height <= 11; height++) {
        put(again, height);
        forests.savepoint(again);
      }
      assertThat(kept(again).olderCount()).isEqualTo(4);
    }
  }

  @Test
  void olderVersionsTakeNoMoreRoomThanTheStrandsOwnLimitAllows() throws Exception {
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      for (long height = 1; height <= 6; height++) {
        put(forest, height);
        forests.savepoint(forest);
      }
      long bytes = kept(forest).olderBytes() / 2;
      forest.limit(new OwnLimits(OptionalInt.empty(), OptionalLong.of(bytes)));
      forests.savepoint();
      assertThat(kept(forest).olderCount()).isPositive();
      assertThat(kept(forest).olderBytes()).isBetween(1L, bytes);
    }
  }

  @Test
  void limitsThatCannotBeReadAreDamage() throws Exception {
    Bytes row = new OwnLimits(OptionalInt.of(300), OptionalLong.empty()).encode(Forests.STRAND);
    assertThat(OwnLimits.decode(Forests.STRAND, row).versions()).hasValue(300);
    for (int i = 0; i < row.size(); i++) {
      byte[] damaged = row.toArray();
      damaged[i] ^= 1;
      MetaBatch batch = new MetaBatch();
      batch.put(SavedKeys.limits(Forests.STRAND), Bytes.wrap(damaged));
      meta.write(batch);
      try (Forests forests = open()) {
        assertThatThrownBy(() -> forests.forest(PARAMS))
            .isInstanceOf(CorruptStreamException.class)
            .hasMessageContaining("limits of saved versions");
        assertThat(kept(forests.store().startOver(Forests.STRAND, PARAMS)).own())
            .isEqualTo(OwnLimits.NONE);
      }
    }
  }

  /// One batch may save a state and then drop versions, the lists of the newest among theirs.
  @Test
  void dropsInTheBatchThatSavesTheState() throws Exception {
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      for (long height = 1; height <= 6; height++) {
        put(forest, height);
        if (height < 6) {
          forests.savepoint(forest);
        }
      }
      MetaBatch batch = new MetaBatch();
      forest.savepoint(batch);
      forest.prune(6);
      forests.store().savepoint(batch);
      meta.write(batch);
      forests.store().saved();
      assertThat(kept(forest)).isEqualTo(newestAlone(6));
      assertThat(forests.store().slots().liveBytes())
          .isEqualTo(forest.inSlots().slots().bytes(SlotSizes.STATE));
    }
  }

  @Test
  void keepsTheNewest() throws Exception {
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      for (long height = 1; height <= 5; height++) {
        put(forest, height);
        forests.savepoint(forest);
      }
      forest.prune(1000);
      forests.savepoint();
      assertThat(kept(forest)).isEqualTo(newestAlone(5));
      assertThat(((VersionAt.Kept) forest.versionAt(1000)).version()).isSameAs(forest.version());
      forest.dropBelow(1000);
      forests.savepoint();
      put(forest, 6);
      forests.savepoint(forest);
      assertThat(kept(forest)).as("what was dropped below stays so").isEqualTo(newestAlone(6));
    }
  }

  /// The room that older versions have taken is given back, as far as anything can know of a disk
  /// in memory: it is zeros.
  @Test
  void dropsAllWhenTheDiskHasTooLittleRoom() throws Exception {
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      for (long height = 1; height <= 5; height++) {
        put(forest, height);
        forests.savepoint(forest);
      }
      assertThat(forests.store().takeDroppedForRoom()).isZero();
    }
    ForestLimits full = LIMITS.with(LIMITS.saved().withFreeBytesMin(disk.freeBytes() + 1));
    try (Forests forests = Forests.open(disk, meta, workers, full)) {
      StateForest forest = forests.forest(PARAMS);
      assertThat(kept(forest).olderCount()).isEqualTo(5);
      assertThat(isOnDisk(3)).isTrue();
      put(forest, 6);
      forests.savepoint(forest);
      assertThat(kept(forest)).isEqualTo(new KeptVersions(6, 0, 0, full.saved(), OwnLimits.NONE));
      assertThat(forests.store().takeDroppedForRoom()).isEqualTo(6);
      assertThat(forest.isPruning()).isTrue();
      assertThat(forests.store().clearSome()).isFalse();
      assertThat(forest.isPruning()).isFalse();
      assertThat(isOnDisk(3)).isFalse();
      assertThat(isOnDisk(6)).isTrue();
    }
  }

  private boolean isOnDisk(long height) throws Exception {
    byte[] commit =
        Forests.puts(0, 1, 16, 100 * height)
            .getFirst()
            .entry()
            .valueCommit()
            .orElseThrow()
            .toArray();
    String wanted = new String(commit, StandardCharsets.ISO_8859_1);
    boolean found = false;
    for (String name : disk.names()) {
      found |= new String(disk.content(name), StandardCharsets.ISO_8859_1).contains(wanted);
    }
    return found;
  }

  /// As `du` counts it, where the file system has holes.
  @Test
  void givesRoomBackToTheFileSystem(@TempDir Path folder) throws Exception {
    assumeThat(System.getProperty("os.name")).isEqualTo("Linux");
    try (Disk real = LocalDisk.open(folder);
        Forests forests = Forests.open(real, meta, workers, LIMITS)) {
      StateForest forest = forests.forest(PARAMS);
      for (long height = 1; height <= 8; height++) {
        forest.apply(height, Forests.puts(0, 4_000, 16, 10_000 * height));
        forests.savepoint(forest);
      }
      long all = usedBytes(folder);
      long older = kept(forest).olderBytes();
      forest.prune(8);
      forests.savepoint();
      while (forests.store().clearSome()) {
        // 1 MiB a turn
      }
      forests.savepoint();
      assertThat(forest.isPruning()).isFalse();
      assertThat(all - usedBytes(folder)).isGreaterThan(older * 3 / 4);
    }
  }

  private static long usedBytes(Path folder) throws Exception {
    Process du = new ProcessBuilder("du", "-s", "--block-size=1", folder.toString()).start();
    String answer = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(du.waitFor()).as(answer).isZero();
    return Long.parseLong(answer.split("\t", 2)[0]);
  }

  /// While blocks are applied and saved: the newest is always there.
  @Test
  void mayBeDoneByAnyThread() throws Exception {
    int blocks = 5_000;
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Forests forests = open()) {
      StateForest forest = forests.forest(PARAMS);
      Thread pruning =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  while (forest.version().height() < blocks) {
                    forest.prune(forest.version().height());
                    assertThat(forest.versionAt(Long.MAX_VALUE)).isInstanceOf(VersionAt.Kept.class);
                  }
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      for (long height = 1; height <= blocks; height++) {
        forest.apply(height, Forests.puts(0, 1, 16, height));
        if (height % 50 == 0) {
          forests.savepoint(forest);
        }
      }
      pruning.join();
      assertThat(failure.get()).isNull();
      forest.prune(blocks);
      forests.savepoint();
      assertThat(kept(forest)).isEqualTo(newestAlone(blocks));
    }
  }
}

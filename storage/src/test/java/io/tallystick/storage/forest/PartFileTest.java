package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.ForwardingFile;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Closed partitions: when they move to files and go, what a look-up reads of them, what damage
/// does.
final class PartFileTest {
  private static final StateParams PARAMS = StateParams.of(400, 8, 8);
  private static final String DIRECTORY = PartFormat.directory(Forests.STRAND);

  /// Of one block: a partition is closed by ten.
  private static final int KEYS = 40;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(1, "parts");
  private final List<HeldEntry> written = new ArrayList<>();

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Forests open(Disk on) throws Exception {
    return Forests.open(on, meta, workers, Forests.SMALL);
  }

  /// Applies new keys block by block, each saved.
  private void grow(Forests forests, int blocks) throws Exception {
    StateForest forest = forests.forest(PARAMS);
    for (int i = 0; i < blocks; i++) {
      long first = written.size();
      List<HeldEntry> puts = Forests.puts(first, KEYS, 16, 1 + first);
      written.addAll(puts);
      forest.apply(1 + first / KEYS, puts);
      forests.savepoint(forest);
    }
  }

  private void assertHoldsAll(Forests forests) throws Exception {
    try (ForestReader reader = forests.forest(PARAMS).version().open().orElseThrow()) {
      for (HeldEntry held : written) {
        assertThat(reader.find(held.key())).contains(held);
      }
    }
  }

  @Test
  void closedPartitionsMoveToFilesAndTheirSlotsAreGivenUp() throws Exception {
    try (Forests forests = open(disk)) {
      grow(forests, 9);
      assertThat(disk.list(DIRECTORY)).as("open").isEmpty();
      long live = forests.store().slots().liveBytes();
      grow(forests, 7);
      assertThat(disk.list(DIRECTORY)).containsExactly("0-0.part");
      assertThat(forests.store().slots().liveBytes()).isLessThan(live);
      grow(forests, 24);
      assertThat(disk.list(DIRECTORY)).containsExactly("0-0.part", "1-0.part", "2-0.part");
      assertHoldsAll(forests);
    }
    try (Forests forests = open(disk)) {
      assertHoldsAll(forests);
      grow(forests, 10);
      assertHoldsAll(forests);
    }
  }

  @Test
  void smallPartitionsStayInSlots() throws Exception {
    try (Forests forests = Forests.open(disk, meta, workers, Forests.ALL_IN_SLOTS)) {
      grow(forests, 40);
      assertHoldsAll(forests);
      assertThat(disk.list(DIRECTORY)).isEmpty();
    }
  }

  /// All but some 1 % of the keys that a partition does not hold cost no read of its file.
  @Test
  void aLookUpAsksTheFilterFirst() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    try (Forests forests = open(counting(reads))) {
      grow(forests, 40);
      assertThat(disk.list(DIRECTORY)).hasSize(3);
      try (ForestReader reader = forests.forest(PARAMS).version().open().orElseThrow()) {
        for (HeldEntry held : written) {
          assertThat(reader.find(held.key())).contains(held);
        }
        reads.set(0);
        for (int i = 0; i < 1000; i++) {
          assertThat(reader.find(Forests.key(1_000_000 + i, 16))).isEmpty();
        }
        assertThat(reads.get()).as("reads for 3,000 searches").isLessThan(3 * 1000 / 10);
        reader.lookup(Forests.key(1_000_000, 16));
        assertThat(reads.get()).as("a proof shows all of them").isPositive();
      }
    }
  }

  @Test
  void aFilterHoldsItsKeysAndOneInAHundredOthers() {
    int keys = 20_000;
    KeyFilter filter = KeyFilter.forKeys(keys);
    for (int i = 0; i < keys; i++) {
      filter.add(new SoughtKey(Forests.key(i, 20)).hash());
    }
    int others = 0;
    for (int i = 0; i < keys; i++) {
      assertThat(filter.mayHold(new SoughtKey(Forests.key(i, 20)).hash())).isTrue();
      others += filter.mayHold(new SoughtKey(Forests.key(keys + i, 20)).hash()) ? 1 : 0;
    }
    assertThat(others).isBetween(keys / 200, keys / 70);
    assertThat(filter.encode()).hasSize(keys * 10 / 8);
  }

  /// Counts the reads of partitions' files.
  private Disk counting(AtomicInteger reads) {
    return new ForwardingDisk(disk) {
      @Override
      public DiskFile open(String name) throws IOException {
        DiskFile file = super.open(name);
        if (!name.endsWith(".part")) {
          return file;
        }
        return new ForwardingFile(file) {
          @Override
          public int read(long position, ByteBuffer into) throws IOException {
            reads.incrementAndGet();
            return super.read(position, into);
          }
        };
      }
    };
  }

  /// The fold empties the oldest partition: its file goes when no durable savepoint, no version
  /// kept and no reader has it.
  @Test
  void aFileGoesWhenNobodyNeedsIt() throws Exception {
    try (Forests forests = open(disk)) {
      StateForest forest = forests.forest(PARAMS);
      grow(forests, 82);
      assertThat(disk.list(DIRECTORY)).contains("0-0.part");
      ForestVersion before = forest.version();
      assertThat(before.partitions().getFirst().number()).isZero();
      int partitions = before.partitionCount();
      ForestReader reader = before.open().orElseThrow();
      List<HeldEntry> all = List.copyOf(written);
      while (forest.version().partitions().getFirst().number() == 0) {
        grow(forests, 1);
        partitions = Math.max(partitions, forest.version().partitionCount());
      }
      assertThat(partitions).isGreaterThan(8);
      grow(forests, Forests.SAVED.versions() + 2);
      assertThat(disk.list(DIRECTORY)).as("it is read").contains("0-0.part");
      for (HeldEntry held : all) {
        assertThat(reader.find(held.key())).contains(held);
      }
      reader.close();
      forests.store().saved();
      assertThat(disk.list(DIRECTORY)).doesNotContain("0-0.part");
      assertThat(before.open()).isEmpty();
      assertHoldsAll(forests);
    }
  }

  /// A file that the newest version does without stays while the durable savepoint names it, and
  /// then while an older version has it.
  @Test
  void aFileStaysForTheSavepointAndForOlderVersions() throws Exception {
    try (Forests forests = open(disk)) {
      StateForest forest = forests.forest(PARAMS);
      grow(forests, 82);
      ForestVersion before = forest.version();
      while (forest.version().partitions().getFirst().number() == 0) {
        before = forest.version();
        long first = written.size();
        List<HeldEntry> puts = Forests.puts(first, KEYS, 16, 1 + first);
        written.addAll(puts);
        forest.apply(1 + first / KEYS, puts);
        forests.store().saved();
        assertThat(disk.list(DIRECTORY)).contains("0-0.part");
        if (forest.version().partitions().getFirst().number() == 0) {
          forests.savepoint(forest);
        }
      }
      forests.savepoint(forest);
      assertThat(disk.list(DIRECTORY)).as("an older version has it").contains("0-0.part");
      VersionAt at = forest.versionAt(before.height());
      assertThat(at).isInstanceOf(VersionAt.Saved.class);
      try (ForestReader reader = ((VersionAt.Saved) at).version().open().orElseThrow()) {
        assertThat(reader.root()).isEqualTo(before.root());
        assertThat(reader.find(written.getFirst().key())).contains(written.getFirst());
      }
      grow(forests, Forests.SAVED.versions() + 1);
      assertThat(disk.list(DIRECTORY)).doesNotContain("0-0.part");
    }
  }

  @Test
  void aFileThatNoRowNamesIsDeletedAtTheStart() throws Exception {
    try (Forests forests = open(disk)) {
      grow(forests, 20);
    }
    List<String> files = disk.list(DIRECTORY);
    disk.open(DIRECTORY + "/0-1.part").close();
    disk.open(DIRECTORY + "/77-0.part").close();
    try (Forests forests = open(disk)) {
      assertHoldsAll(forests);
      assertThat(disk.list(DIRECTORY)).isEqualTo(files);
    }
  }

  @Test
  void aMissingFileIsTold() throws Exception {
    try (Forests forests = open(disk)) {
      grow(forests, 20);
    }
    disk.delete(DIRECTORY + "/0-0.part");
    try (Forests forests = open(disk)) {
      assertThatThrownBy(() -> forests.forest(PARAMS))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("0-0.part")
          .hasMessageContaining("missing");
    }
    assertThat(disk.exists(DIRECTORY + "/0-0.part")).as("it is not made anew").isFalse();
  }

  /// A bit of the file is flipped, here and there: whatever needs it names the file, and the rest
  /// answers what it did.
  @Test
  void damageIsNamedAndStaysWhereItIs() throws Exception {
    try (Forests forests = open(disk)) {
      grow(forests, 20);
    }
    String name = DIRECTORY + "/0-0.part";
    int told = 0;
    int flips = 0;
    for (long at = 3; at < disk.size(name); at += 997, flips++) {
      disk.flipBit(name, at, 5);
      told += tells(name, at) ? 1 : 0;
      disk.flipBit(name, at, 5);
    }
    long end = disk.size(name) - 1;
    disk.flipBit(name, end, 0);
    assertThat(tells(name, end)).as("trailer").isTrue();
    disk.flipBit(name, end, 0);
    disk.flipBit(name, disk.size(name) - PartFormat.TRAILER_BYTES - 5, 0);
    assertThat(tells(name, end)).as("filter").isTrue();
    assertThat(told).isEqualTo(flips);
    try (DiskFile file = disk.open(name)) {
      file.truncate(file.size() - 1);
    }
    assertThat(tells(name, end)).as("end is missing").isTrue();
  }

  /// A length that the file could hold, and no node has, is told before so much is read.
  @Test
  void aDamagedLengthIsNotRead() throws Exception {
    StateParams params = StateParams.of(8000, 40, 32);
    List<HeldEntry> puts = Forests.puts(0, 8000, 256, 1);
    try (Forests forests = open(disk)) {
      StateForest forest = forests.forest(params);
      forest.apply(1, puts);
      forests.savepoint(forest);
      forest.apply(2, Forests.puts(9000, 1000, 16, 9000));
      forests.savepoint(forest);
    }
    String name = DIRECTORY + "/0-0.part";
    int leaf = PartFormat.HEADER_BYTES;
    int length = SlotPages.IMAGE_BYTES_MAX + 1;
    assertThat(disk.size(name)).isGreaterThan(leaf + length);
    disk.overwrite(name, leaf + 5, ByteBuffer.allocate(4).putInt(length).array());
    Bytes first = puts.stream().map(HeldEntry::key).min(Comparator.naturalOrder()).orElseThrow();
    try (Forests forests = open(disk);
        ForestReader reader = forests.forest(params).version().open().orElseThrow()) {
      assertThatThrownBy(() -> reader.find(first))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining(name + " at " + leaf + ": block of ");
    }
  }

  /// The copy reads every node: a damaged one ends the copy and not the block, which needs none.
  /// Reads of the node tell the damage, and no file is left.
  @Test
  void damageInSlotsEndsTheCopyAndNoBlock() throws Exception {
    try (Forests forests = open(disk)) {
      grow(forests, 10);
    }
    String slots = "forest/2048.slots";
    for (long at = 100; at < disk.size(slots); at += 2048) {
      disk.flipBit(slots, at, 1);
    }
    Bytes damaged = written.getFirst().key();
    try (Forests forests = open(disk)) {
      StateForest forest = forests.forest(PARAMS);
      assertThat(forest.version().partitions().getFirst().isOpen()).isFalse();
      int before = written.size();
      for (int i = 0; i < 3; i++) {
        grow(forests, 1);
        assertThat(disk.list(DIRECTORY)).isEmpty();
        assertThat(forests.store().failedCopies())
            .containsOnlyKeys("partition 0 of " + Forests.STRAND)
            .allSatisfy((_, why) -> assertThat(why).isInstanceOf(CorruptStreamException.class))
            .allSatisfy((_, why) -> assertThat(why).hasMessageContaining(slots));
      }
      assertThat(forest.version().partitions().getFirst().pages()).isInstanceOf(SlotPages.class);
      try (ForestReader reader = forest.version().open().orElseThrow()) {
        for (HeldEntry held : written.subList(before, written.size())) {
          assertThat(reader.find(held.key())).contains(held);
        }
        assertThatThrownBy(() -> reader.find(damaged))
            .isInstanceOf(CorruptStreamException.class)
            .hasMessageContaining(slots);
      }
      grow(forests, 25);
      assertThat(disk.list(DIRECTORY)).as("others are copied").contains("1-0.part");
    }
  }

  /// Where the disk of partitions' files fails.
  enum Fails {
    NOWHERE,
    OPEN,
    WRITE,
    FORCE
  }

  private Fails fails = Fails.NOWHERE;

  private void failAt(Fails where) throws IOException {
    if (fails == where) {
      throw new IOException("no " + where + ", by plan");
    }
  }

  private Disk failing() {
    return new ForwardingDisk(disk) {
      @Override
      public DiskFile open(String name) throws IOException {
        if (!name.endsWith(".part")) {
          return super.open(name);
        }
        failAt(Fails.OPEN);
        return new ForwardingFile(super.open(name)) {
          @Override
          public void write(long position, ByteBuffer from) throws IOException {
            failAt(Fails.WRITE);
            super.write(position, from);
          }

          @Override
          public void force() throws IOException {
            failAt(Fails.FORCE);
            super.force();
          }
        };
      }
    };
  }

  /// The disk of partitions' files fails: blocks and savepoints go on, the partition stays in
  /// slots, and is copied as soon as that can be done.
  @ParameterizedTest
  @EnumSource(
      value = Fails.class,
      names = {"OPEN", "WRITE", "FORCE"})
  void aFailingDiskEndsTheCopyAndNoBlock(Fails where) throws Exception {
    try (Forests forests = open(failing())) {
      fails = where;
      grow(forests, 16);
      assertThat(forests.store().failedCopies())
          .containsOnlyKeys("partition 0 of " + Forests.STRAND)
          .allSatisfy((_, why) -> assertThat(why).hasMessage("no " + where + ", by plan"));
      assertThat(disk.list(DIRECTORY)).isEmpty();
      assertHoldsAll(forests);
      fails = Fails.NOWHERE;
      grow(forests, 8);
      assertThat(forests.store().failedCopies()).isEmpty();
      assertThat(disk.list(DIRECTORY)).contains("0-0.part");
      assertHoldsAll(forests);
    }
    try (Forests forests = open(disk)) {
      assertHoldsAll(forests);
    }
  }

  /// A good block in the place of another, checksum and all.
  @Test
  void aMisdirectedBlockIsNoticed() throws Exception {
    try (Forests forests = open(disk)) {
      grow(forests, 20);
    }
    String name = DIRECTORY + "/0-0.part";
    byte[] content = disk.content(name);
    Map<Integer, Integer> lengths = new HashMap<>();
    int at = PartFormat.HEADER_BYTES;
    Integer same = null;
    while (same == null) {
      int bytes = PartFormat.BLOCK_HEAD_BYTES + ByteBuffer.wrap(content).getInt(at + 5);
      same = lengths.putIfAbsent(bytes, at);
      if (same != null) {
        disk.overwrite(name, at, Arrays.copyOfRange(content, same, same + bytes));
      } else {
        at += bytes;
      }
    }
    String where = name + " at " + at + ": checksum";
    try (Forests forests = open(disk);
        ForestReader reader = forests.forest(PARAMS).version().open().orElseThrow()) {
      assertThatThrownBy(() -> reader.page(Bytes.EMPTY, null, 10_000, Long.MAX_VALUE))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining(where);
    }
  }

  private boolean tells(String name, long at) throws Exception {
    boolean told = false;
    int good = 0;
    try (Forests forests = open(disk)) {
      try (ForestReader reader = forests.forest(PARAMS).version().open().orElseThrow()) {
        for (HeldEntry held : written) {
          try {
            assertThat(reader.find(held.key())).contains(held);
            good++;
          } catch (CorruptStreamException e) {
            assertThat(e.file()).isEqualTo(name);
            assertThat(e.offset()).isLessThanOrEqualTo(at);
            told = true;
          }
        }
        reader.page(Bytes.EMPTY, null, 1000, Long.MAX_VALUE);
      } catch (CorruptStreamException e) {
        assertThat(e.file()).isEqualTo(name);
        return true;
      }
      assertThat(good).as("keys of the open partition").isGreaterThanOrEqualTo(KEYS);
      return told;
    }
  }
}

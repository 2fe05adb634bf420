package io.tallystick.storage.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// States in their pages: what is kept for whom, how much memory and space it takes, what damage
/// does.
final class ForestPagesTest {
  private static final StateParams PARAMS = StateParams.of(1 << 20, 8, 8);
  private static final int KEY_BYTES = 16;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(2, "pages");

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Forests open(ForestLimits limits) throws Exception {
    return Forests.open(disk, meta, workers, limits);
  }

  /// Puts `count` keys, saved.
  private void fill(int count) throws Exception {
    try (Forests forests = open(Forests.SMALL)) {
      StateForest forest = forests.forest(PARAMS);
      forest.apply(1, Forests.puts(0, count, KEY_BYTES, 1));
      forests.savepoint(forest);
    }
  }

  private static Optional<HeldEntry> entry(List<HeldEntry> of, int index) {
    return Optional.of(of.get(index));
  }

  @Test
  void statesOfManyStrandsShareTheSlots() throws Exception {
    List<Object> roots = new ArrayList<>();
    try (Forests forests = open(Forests.SMALL)) {
      for (int i = 0; i < 20; i++) {
        StateForest forest = forests.store().forest(Forests.strand(i), PARAMS);
        forest.apply(1, Forests.puts(1000L * i, 1 + 5 * i, KEY_BYTES, 1));
        forests.savepoint(forest);
        roots.add(forest.version().root());
      }
    }
    try (Forests forests = open(Forests.SMALL)) {
      for (int i = 0; i < 20; i++) {
        StateForest forest = forests.store().forest(Forests.strand(i), PARAMS);
        assertThat(forest.version().root()).isEqualTo(roots.get(i));
      }
    }
  }

  /// A reader of the first version goes on through savepoints that write all its slots' space over
  /// and over; one that comes too late is told so, by the state and by the version.
  @Test
  void aReaderKeepsItsVersion() throws Exception {
    List<HeldEntry> first = Forests.puts(0, 300, KEY_BYTES, 1);
    try (Forests forests = open(Forests.SMALL)) {
      StateForest forest = forests.forest(PARAMS);
      ForestVersion version = forest.apply(1, first);
      forests.savepoint(forest);
      ForestReader reader = version.open().orElseThrow();
      List<Object> lookups = new ArrayList<>();
      for (HeldEntry held : first) {
        lookups.add(reader.lookup(held.key()));
      }
      for (int i = 0; i < 30; i++) {
        forest.apply(2 + i, Forests.puts(0, 300, KEY_BYTES, 1000L * (i + 1)));
        forests.savepoint(forest);
      }
      for (int i = 0; i < first.size(); i++) {
        assertThat(reader.lookup(first.get(i).key())).isEqualTo(lookups.get(i));
        assertThat(reader.find(first.get(i).key())).isEqualTo(entry(first, i));
      }
      reader.close();
      assertThatThrownBy(() -> reader.find(first.getFirst().key()))
          .isInstanceOf(IllegalStateException.class);
      for (int i = 0; i < 5; i++) {
        forest.apply(40 + i, Forests.puts(0, 300, KEY_BYTES, 100_000 + 1000L * i));
        forests.savepoint(forest);
      }
      assertThat(version.open()).isEmpty();
      assertThat(forest.versionAt(1)).isInstanceOf(VersionAt.Pruned.class);
      assertThat(forest.version().open()).isPresent();
    }
  }

  /// However late an older version is opened: it answers what it did until the reader is closed, or
  /// it cannot be opened.
  @Test
  void anOlderVersionIsOpenedWholeOrNotAtAll() throws Exception {
    int opened = 0;
    for (int late = 0; late < 8; late++) {
      InMemoryMetaStore rows = new InMemoryMetaStore();
      try (Forests forests =
          Forests.open(new InMemoryDisk(), rows, workers, Forests.ALL_IN_SLOTS)) {
        StateForest forest = forests.forest(PARAMS);
        List<HeldEntry> first = Forests.puts(0, 100, KEY_BYTES, 1);
        forest.apply(1, first);
        forests.savepoint(forest);
        replaceAndSave(forests, forest, 2, late);
        Optional<ForestReader> reader =
            switch (forest.versionAt(1)) {
              case VersionAt.Kept(ForestVersion kept) -> kept.open();
              case VersionAt.Saved saved when saved.version().height() == 1 ->
                  saved.version().open();
              case VersionAt _ -> Optional.empty();
            };
        replaceAndSave(forests, forest, 20, 4);
        if (reader.isPresent()) {
          for (HeldEntry held : first) {
            assertThat(reader.get().find(held.key())).as("%d late", late).contains(held);
          }
          reader.get().close();
          opened++;
        }
      }
    }
    assertThat(opened).isBetween(2, 6);
  }

  private static void replaceAndSave(Forests forests, StateForest forest, int height, int times)
      throws Exception {
    for (int i = 0; i < times; i++) {
      forest.apply(height + i, Forests.puts(0, 100, KEY_BYTES, 1000L * (height + i)));
      forests.savepoint(forest);
    }
  }

  /// Versions since the last savepoint answer what they did.
  @Test
  void recentVersionsAnswerUntilThereAreTooMany() throws Exception {
    ForestLimits limits = new ForestLimits(20_000, 100_000, 10, 1 << 20, 1000, Forests.SAVED);
    try (Forests forests = open(limits)) {
      StateForest forest = forests.forest(PARAMS);
      List<List<HeldEntry>> blocks = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        List<HeldEntry> block = Forests.puts(i % 3, 20, KEY_BYTES, 100L * (i + 1));
        forest.apply(10 + i, block);
        blocks.add(block);
        if (i == 10) {
          forests.savepoint(forest);
        }
      }
      assertThat(forest.recentVersions()).isEqualTo(11);
      for (int i = 10; i < 19; i++) {
        assertThat(forest.versionAt(10 + i))
            .isInstanceOfSatisfying(
                VersionAt.Saved.class, at -> assertThat(at.version().height()).isEqualTo(20));
      }
      for (int i = 19; i < 30; i++) {
        VersionAt at = forest.versionAt(10 + i);
        assertThat(at).isInstanceOf(VersionAt.Kept.class);
        ForestVersion version = ((VersionAt.Kept) at).version();
        assertThat(version.height()).isEqualTo(10 + i);
        try (ForestReader reader = version.open().orElseThrow()) {
          for (HeldEntry held : blocks.get(i)) {
            assertThat(reader.find(held.key())).contains(held);
          }
        }
      }
      assertThat(((VersionAt.Kept) forest.versionAt(1000)).version()).isSameAs(forest.version());
    }
  }

  /// Older versions go when they take more memory than they may, whoever's they are.
  @Test
  void olderVersionsTakeBoundedMemory() throws Exception {
    ForestLimits limits = new ForestLimits(20_000, 100 << 20, 64, 1 << 20, 1000, Forests.SAVED);
    try (Forests forests = open(limits)) {
      StateForest idle = forests.store().forest(Forests.strand(1), PARAMS);
      idle.apply(1, Forests.puts(0, 100, KEY_BYTES, 1));
      idle.apply(2, Forests.puts(0, 100, KEY_BYTES, 1));
      StateForest busy = forests.forest(PARAMS);
      for (int i = 0; i < 30; i++) {
        busy.apply(1 + i, Forests.puts(0, 1000, KEY_BYTES, 1000L * i));
        assertThat(forests.store().replacedBytes()).isLessThanOrEqualTo(1 << 20);
      }
      assertThat(busy.recentVersions()).isBetween(2, 15);
      assertThat(idle.recentVersions()).as("its were the oldest").isEqualTo(1);
    }
  }

  @Test
  void memoryIsBoundedAndASavepointIsDue() throws Exception {
    ForestLimits limits =
        new ForestLimits(100_000, 300_000, 3, 1 << 20, 1000, VersionLimits.DEFAULT);
    try (Forests forests = open(limits)) {
      StateForest forest = forests.forest(PARAMS);
      int savepoints = 0;
      for (int i = 0; i < 40; i++) {
        forest.apply(1 + i, Forests.puts(100L * i, 100, KEY_BYTES, 100L * i));
        assertThat(forests.store().unsavedBytes()).isEqualTo(forest.unsavedBytes());
        if (forests.store().savepointDue()) {
          assertThat(forests.store().unsavedBytes()).isBetween(300_000L, 700_000L);
          forests.savepoint(forest);
          assertThat(forests.store().unsavedBytes()).isZero();
          savepoints++;
        }
        assertThat(forests.store().cache().bytes()).isLessThanOrEqualTo(100_000);
      }
      assertThat(savepoints).isBetween(2, 20);
      try (ForestReader reader = forest.version().open().orElseThrow()) {
        for (int i = 0; i < 4000; i++) {
          assertThat(reader.find(Forests.key(i, KEY_BYTES))).isPresent();
        }
      }
      assertThat(forests.store().cache().bytes()).isBetween(50_000L, 100_000L);
    }
  }

  /// A third of the keys changed by each of 40 savepoints: older versions take as much as the
  /// newest at most, the files stay below three times what that uses, and one savepoint writes each
  /// node once.
  @Test
  void spaceFollowsWhatIsInUse() throws Exception {
    VersionLimits many = new VersionLimits(40, VersionLimits.AS_NEWEST, 2000);
    try (Forests forests = open(Forests.SMALL.with(many))) {
      StateForest forest = forests.forest(PARAMS);
      forest.apply(1, Forests.puts(0, 3000, KEY_BYTES, 1));
      forests.savepoint(forest);
      long written = forests.store().slots().writtenBytes();
      long live = forests.store().slots().liveBytes();
      assertThat(written).isEqualTo(live);
      for (int i = 0; i < 5; i++) {
        forest.apply(2 + i, Forests.puts(0, 3000, KEY_BYTES, 10_000L * (i + 1)));
      }
      forests.savepoint(forest);
      assertThat(forests.store().slots().writtenBytes() - written).isEqualTo(live);
      for (int i = 0; i < 40; i++) {
        forest.apply(10 + i, Forests.puts(100L * (i % 3), 1000, KEY_BYTES, 100_000 + 1000L * i));
        forests.savepoint(forest);
      }
      long older = forest.kept().orElseThrow().olderBytes();
      assertThat(older).isBetween(1L, Math.max(live, 1 << 20));
      assertThat(forests.store().slots().liveBytes()).isEqualTo(live + older);
      assertThat(forests.store().slots().fileBytes()).isLessThan(3 * live);
      forest.prune(49);
      forests.savepoint();
      assertThat(forests.store().slots().liveBytes()).isEqualTo(live);
    }
  }

  /// Nodes of 1,024 entries with keys of 256 bytes take more than one slot.
  @Test
  void aLargeNodeGoesOnInFurtherSlots() throws Exception {
    StateParams large = StateParams.of(1 << 20, 1024, 1024);
    List<HeldEntry> all = new ArrayList<>();
    try (Forests forests = open(Forests.SMALL)) {
      StateForest forest = forests.forest(large);
      for (int i = 0; i < 6; i++) {
        List<HeldEntry> some = Forests.puts(500L * i, 500, 256, 1000L * i);
        all.addAll(some);
        forest.apply(1 + i, some);
        forests.savepoint(forest);
      }
      for (int i = 0; i < 10; i++) {
        forest.apply(10 + i, all);
        forests.savepoint(forest);
      }
      long live = forests.store().slots().liveBytes();
      assertThat(live).as("no slot is lost").isLessThan(2 * 3000 * 320);
      assertThat(forests.store().slots().fileBytes()).isLessThan(4 * live);
    }
    try (Forests forests = open(Forests.SMALL);
        ForestReader reader = forests.forest(large).version().open().orElseThrow()) {
      assertThat(reader.page(Bytes.EMPTY, null, 10_000, Long.MAX_VALUE).entries()).hasSize(3000);
      for (HeldEntry held : all) {
        assertThat(reader.find(held.key())).contains(held);
      }
    }
    String name = "forest/16384.slots";
    int told = 0;
    for (long at = 0; at < disk.size(name); at += 16384) {
      disk.flipBit(name, at + 100, 3);
      try (Forests forests = open(Forests.SMALL);
          ForestReader reader = forests.forest(large).version().open().orElseThrow()) {
        assertThat(reader.page(Bytes.EMPTY, null, 10_000, Long.MAX_VALUE).entries()).hasSize(3000);
      } catch (CorruptStreamException e) {
        assertThat(e).hasMessageContaining(name + " at " + at + ":");
        told++;
      }
      disk.flipBit(name, at + 100, 3);
    }
    assertThat(told).as("slots that the state is in").isBetween(3000 * 290 / 16384, 100);
  }

  /// One byte of a slot file is damaged: the reads that need it fail and name file and offset, all
  /// others go on, and so do updates that do not meet it.
  @Test
  void damageIsNamedAndStaysWhereItIs() throws Exception {
    List<HeldEntry> all = Forests.puts(0, 500, KEY_BYTES, 1);
    fill(500);
    String name = "forest/2048.slots";
    for (int slot = 0; slot < 70; slot += 10) {
      disk.flipBit(name, 2048L * slot + 20, 1);
      int failures = 0;
      try (Forests forests = open(Forests.SMALL)) {
        StateForest forest = forests.forest(PARAMS);
        Object root = forest.version().root();
        try (ForestReader reader = forest.version().open().orElseThrow()) {
          for (HeldEntry held : all) {
            try {
              assertThat(reader.find(held.key())).contains(held);
              reader.lookup(held.key());
            } catch (CorruptStreamException e) {
              assertThat(e.file()).isEqualTo(name);
              assertThat(e.offset()).isEqualTo(2048L * slot);
              failures++;
            }
          }
        }
        int applied = 0;
        for (int i = 0; i < all.size(); i += 20) {
          try {
            forest.apply(2 + i, List.of(all.get(i)));
            applied++;
          } catch (CorruptStreamException e) {
            assertThat(e.offset()).isEqualTo(2048L * slot);
          }
        }
        assertThat(forest.version().root()).as("the same entries").isEqualTo(root);
        assertThat(failures).isBetween(1, 200);
        assertThat(applied).isGreaterThan(10);
      }
      disk.flipBit(name, 2048L * slot + 20, 1);
    }
  }

  /// A slot of a good node in the place of another, checksum and all.
  @Test
  void aMisdirectedNodeIsNoticed() throws Exception {
    fill(100);
    String name = "forest/2048.slots";
    try (DiskFile file = disk.open(name)) {
      ByteBuffer slot = ByteBuffer.allocate(2048);
      file.read(2048, slot);
      file.write(2 * 2048, slot.flip());
    }
    try (Forests forests = open(Forests.SMALL);
        ForestReader reader = forests.forest(PARAMS).version().open().orElseThrow()) {
      assertThatThrownBy(() -> reader.page(Bytes.EMPTY, null, 1000, Long.MAX_VALUE))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining(name + " at 4096");
    }
  }

  /// The slot of the root holds what it held before, with a good checksum: a write that was lost.
  /// Proofs and updates notice it.
  @Test
  void aLostWriteIsNoticedByProofsAndUpdates() throws Exception {
    Bytes key = Bytes.utf8("key");
    String name = "forest/2048.slots";
    List<byte[]> images = new ArrayList<>();
    try (Forests forests = open(Forests.SMALL)) {
      StateForest forest = forests.forest(PARAMS);
      for (int i = 1; i <= 12; i++) {
        Digest commit = Sha256.hash(new byte[] {(byte) i});
        forest.apply(i, List.of(Forests.held(StateEntry.put(key, commit, i, new Jsn(i)))));
        forests.savepoint(forest);
        images.add(disk.content(name));
      }
    }
    byte[] newest = images.getLast();
    for (byte[] older : images.reversed()) {
      int changed = Arrays.mismatch(newest, older);
      if (changed >= 0 && changed < older.length) {
        disk.overwrite(name, 0, older);
        break;
      }
    }
    try (Forests forests = open(Forests.SMALL)) {
      StateForest forest = forests.forest(PARAMS);
      try (ForestReader reader = forest.version().open().orElseThrow()) {
        assertThatThrownBy(() -> reader.lookup(key))
            .isInstanceOf(CorruptStreamException.class)
            .hasMessageContaining("hash");
        assertThatThrownBy(() -> reader.find(key))
            .isInstanceOf(CorruptStreamException.class)
            .hasMessageContaining("hash");
      }
      assertThatThrownBy(() -> forest.apply(20, Forests.puts(0, 1, 8, 1)))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("hash");
    }
  }

  @Test
  void aDamagedRowIsTold() throws Exception {
    fill(100);
    Bytes key = ForestHead.key(Forests.STRAND);
    byte[] row = Objects.requireNonNull(meta.get(key)).toArray();
    for (int at = 0; at < row.length; at++) {
      byte[] damaged = row.clone();
      damaged[at] ^= 1;
      meta.write(new MetaBatch().put(key, Bytes.wrap(damaged)));
      try (Forests forests = open(Forests.SMALL)) {
        assertThatThrownBy(() -> forests.forest(PARAMS))
            .as("byte %d", at)
            .isInstanceOf(CorruptStreamException.class)
            .hasMessageContaining("state of ");
      }
    }
    meta.write(new MetaBatch().delete(key).put(ForestHead.key(Forests.strand(1)), Bytes.wrap(row)));
    try (Forests forests = open(Forests.SMALL)) {
      assertThatThrownBy(() -> forests.store().forest(Forests.strand(1), PARAMS))
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining("checksum");
    }
  }

  @Test
  void aFileThatIsTooShortIsRefusedAtTheStart() throws Exception {
    fill(100);
    try (DiskFile file = disk.open("forest/2048.slots")) {
      file.truncate(file.size() - 1);
    }
    assertThatThrownBy(() -> open(Forests.SMALL))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("forest/2048.slots");
  }
}

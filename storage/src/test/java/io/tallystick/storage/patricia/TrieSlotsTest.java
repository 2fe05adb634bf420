package io.tallystick.storage.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Digest;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Tries in their slots: what is kept for whom, how much space it takes, what damage does.
final class TrieSlotsTest {
  private static final int NODES_MAX = 50;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Workers workers = new Workers(2, "slots");
  private final SplittableRandom random = new SplittableRandom(11);
  private final List<Digest> known = new ArrayList<>();
  private final ReferenceTrie reference = new ReferenceTrie();

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private void grow(PatriciaTrie trie, int count) throws Exception {
    Map<Digest, byte[]> pairs = Tries.pairs(known, count, random);
    pairs.forEach((key, value) -> reference.put(key.toArray(), value));
    assertThat(trie.apply(Tries.batch(pairs))).isEqualTo(reference.root());
  }

  @Test
  void triesOfManyStrandsShareTheSlots() throws Exception {
    List<Digest> roots = new ArrayList<>();
    try (Tries tries = Tries.open(disk, meta, workers, NODES_MAX)) {
      for (int i = 0; i < 30; i++) {
        PatriciaTrie trie = tries.store().trie(Tries.strand(i));
        trie.apply(Tries.batch(Tries.pairs(new ArrayList<>(), 1 + i, random)));
        tries.savepoint(trie);
        roots.add(trie.view().root());
      }
    }
    try (Tries tries = Tries.open(disk, meta, workers, NODES_MAX)) {
      for (int i = 0; i < 30; i++) {
        assertThat(tries.store().trie(Tries.strand(i)).view().root()).isEqualTo(roots.get(i));
      }
      assertThat(tries.store().trie(Tries.strand(30)).view().root()).isEqualTo(TrieView.EMPTY_ROOT);
    }
  }

  /// A reader of the first version goes on through 200 savepoints that write all its slots' space
  /// over and over; one that comes too late is told so.
  @Test
  void aReaderKeepsItsVersion() throws Exception {
    try (Tries tries = Tries.open(disk, meta, workers, NODES_MAX)) {
      PatriciaTrie trie = tries.trie();
      grow(trie, 300);
      tries.savepoint(trie);
      List<Digest> keys = List.copyOf(known);
      TrieView first = trie.view();
      TrieView.Reader reader = first.open().orElseThrow();
      List<Object> before = new ArrayList<>();
      for (Digest key : keys) {
        before.add(reader.proof(key));
      }
      for (int i = 0; i < 100; i++) {
        replaceAll(trie, keys);
        tries.savepoint(trie);
      }
      for (int i = 0; i < keys.size(); i++) {
        assertThat(reader.proof(keys.get(i))).isEqualTo(before.get(i));
      }
      reader.close();
      assertThatThrownBy(() -> reader.get(keys.getFirst()))
          .isInstanceOf(IllegalStateException.class);
      for (int i = 0; i < 100; i++) {
        replaceAll(trie, keys);
        tries.savepoint(trie);
      }
      assertThat(first.open()).isEmpty();
      assertThat(trie.view().open()).isPresent();
    }
  }

  /// What is not changed can be read however long ago it was: others' savepoints are no concern of
  /// its view, nor is a savepoint in which it had no part.
  @Test
  void anIdleTrieCanAlwaysBeRead() throws Exception {
    try (Tries tries = Tries.open(disk, meta, workers, 0)) {
      PatriciaTrie idle = tries.trie();
      grow(idle, 100);
      tries.savepoint(idle);
      TrieView view = idle.view();
      PatriciaTrie busy = tries.store().trie(Tries.strand(1));
      List<Digest> keys = new ArrayList<>();
      busy.apply(Tries.batch(Tries.pairs(keys, 100, random)));
      for (int i = 0; i < 50; i++) {
        tries.savepoint(busy);
        replaceAll(busy, keys);
      }
      try (TrieView.Reader reader = view.open().orElseThrow()) {
        for (Digest key : known) {
          assertThat(reader.get(key)).isEqualTo(reference.get(key.toArray()));
        }
      }
    }
  }

  /// After a start every key is changed once: all of the trie comes into memory on the way, and
  /// most of it goes again.
  @Test
  void whatIsReadOnTheWayOfUpdatesDoesNotStayInMemory() throws Exception {
    try (Tries tries = Tries.open(disk, meta, workers, 0)) {
      PatriciaTrie trie = tries.trie();
      grow(trie, 3000);
      tries.savepoint(trie);
    }
    List<Digest> keys = known.stream().distinct().toList();
    try (Tries tries = Tries.open(disk, meta, workers, 1 << 20)) {
      PatriciaTrie trie = tries.trie();
      replaceAll(trie, keys);
      tries.savepoint(trie);
      assertThat(trie.nodesInMemory()).isGreaterThan(keys.size());
    }
    try (Tries tries = Tries.open(disk, meta, workers, 200)) {
      PatriciaTrie trie = tries.trie();
      replaceAll(trie, keys);
      tries.savepoint(trie);
      assertThat(trie.nodesInMemory()).isLessThanOrEqualTo(200);
    }
  }

  private void replaceAll(PatriciaTrie trie, List<Digest> keys) throws Exception {
    TrieBatch batch = new TrieBatch(keys.size());
    for (Digest key : keys.stream().distinct().toList()) {
      byte[] value = new byte[36];
      random.nextBytes(value);
      batch.put(key.toArray(), 0, value);
    }
    trie.apply(batch, UpdateWay.LOCK_NU);
  }

  /// 4,000 keys, half of them changed by each of 60 savepoints, without readers: the files stay
  /// below three times what is in use.
  @Test
  void spaceFollowsWhatIsInUse() throws Exception {
    try (Tries tries = Tries.open(disk, meta, workers, NODES_MAX)) {
      PatriciaTrie trie = tries.trie();
      grow(trie, 4000);
      tries.savepoint(trie);
      List<Digest> keys = known.stream().distinct().toList();
      for (int i = 0; i < 60; i++) {
        List<Digest> some = keys.stream().filter(_ -> random.nextBoolean()).toList();
        replaceAll(trie, some);
        tries.savepoint(trie);
      }
      long live = tries.store().slots().liveBytes();
      assertThat(live).isGreaterThan(4000 * 96);
      assertThat(tries.store().slots().fileBytes()).isLessThan(3 * live);
    }
  }

  /// One byte of each slot file is damaged in turn: the reads that need it fail and name the file,
  /// all others go on, and so do updates that do not meet it.
  @Test
  void damageIsNamedAndStaysWhereItIs() throws Exception {
    try (Tries tries = Tries.open(disk, meta, workers, 0)) {
      PatriciaTrie trie = tries.trie();
      grow(trie, 500);
      tries.savepoint(trie);
    }
    for (String name : List.of("patricia/96.slots", "patricia/160.slots", "patricia/320.slots")) {
      damage(name, 3 * slotBytes(name) + 50);
      try (Tries tries = Tries.open(disk, meta, workers, 0);
          TrieView.Reader reader = tries.trie().view().open().orElseThrow()) {
        int failures = 0;
        for (Digest key : known) {
          try {
            assertThat(reader.get(key)).isEqualTo(reference.get(key.toArray()));
          } catch (CorruptStreamException e) {
            assertThat(e.file()).isEqualTo(name);
            assertThat(e.offset()).isEqualTo(3L * slotBytes(name));
            failures++;
          }
        }
        assertThat(failures).as(name).isBetween(1, known.size() / 2);
      }
      damage(name, 3 * slotBytes(name) + 50);
    }
  }

  /// A slot of a good node in the place of another, checksum and all.
  @Test
  void aMisdirectedNodeIsNoticed() throws Exception {
    try (Tries tries = Tries.open(disk, meta, workers, 0)) {
      PatriciaTrie trie = tries.trie();
      grow(trie, 100);
      tries.savepoint(trie);
    }
    String name = "patricia/96.slots";
    try (DiskFile file = disk.open(name)) {
      ByteBuffer slot = ByteBuffer.allocate(96);
      file.read(96, slot);
      file.write(2 * 96, slot.flip());
    }
    try (Tries tries = Tries.open(disk, meta, workers, 0);
        TrieView.Reader reader = tries.trie().view().open().orElseThrow()) {
      assertThatThrownBy(
              () -> {
                for (Digest key : known) {
                  reader.get(key);
                }
              })
          .isInstanceOf(CorruptStreamException.class)
          .hasMessageContaining(name + " at 192");
    }
  }

  @Test
  void aFileThatIsTooShortIsRefusedAtTheStart() throws Exception {
    try (Tries tries = Tries.open(disk, meta, workers, 0)) {
      PatriciaTrie trie = tries.trie();
      grow(trie, 100);
      tries.savepoint(trie);
    }
    try (DiskFile file = disk.open("patricia/96.slots")) {
      file.truncate(file.size() - 1);
    }
    assertThatThrownBy(() -> Tries.open(disk, meta, workers, 0))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("patricia/96.slots");
  }

  private static int slotBytes(String name) {
    return Integer.parseInt(name.substring(name.indexOf('/') + 1, name.indexOf('.')));
  }

  private void damage(String name, long at) throws Exception {
    try (DiskFile file = disk.open(name)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(at, one);
      one.put(0, (byte) (one.get(0) ^ 1)).flip();
      file.write(at, one);
    }
  }
}

package io.tallystick.storage.patricia;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;

/// Goal: whatever becomes of a stored row or slot, the trie says what is damaged, or is what it
/// was; nothing else is thrown and no other value is read. Method: a trie of some savepoints with
/// one of its rows (each kind in turn), or its key, or one slot, changed; it is opened, read whole
/// and written on.
class DamagedTrieRowsTest {
  private static final int NODES_MAX = 50;
  private static final int DAMAGES = 40;
  private static final int SAVEPOINTS = 4;

  private final Workers workers = new Workers(2, "damage");

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  /// A saved trie, its keys and what it holds.
  private static final class Saved {
    final InMemoryDisk disk = new InMemoryDisk();
    final InMemoryMetaStore meta = new InMemoryMetaStore();
    final List<Digest> known = new ArrayList<>();
    final ReferenceTrie reference = new ReferenceTrie();

    void grow(PatriciaTrie trie, int count, SplittableRandom random)
        throws IOException, CorruptStreamException {
      Map<Digest, byte[]> pairs = Tries.pairs(known, count, random);
      pairs.forEach((key, value) -> reference.put(key.toArray(), value));
      trie.apply(Tries.batch(pairs));
    }
  }

  private Saved saved(SplittableRandom random) throws Exception {
    Saved saved = new Saved();
    try (Tries tries = Tries.open(saved.disk, saved.meta, workers, NODES_MAX)) {
      for (int i = 0; i < SAVEPOINTS; i++) {
        saved.grow(tries.trie(), 60, random);
        tries.savepoint(tries.trie());
      }
    }
    return saved;
  }

  @Seeded(runs = 3)
  void aDamagedRowIsToldOrDoesNoHarm(SplittableRandom random) throws Exception {
    Saved saved = saved(random);
    Map<Bytes, Bytes> rows = rows(saved.meta);
    // Head of the slots, four free maps at most, what two versions gave up, head of the trie.
    assertThat(rows.keySet().stream().map(DamagedTrieRowsTest::kind).distinct()).hasSize(4);
    int told = 0;
    for (Map.Entry<Bytes, Bytes> row : rows.entrySet()) {
      for (int i = 0; i < DAMAGES; i++) {
        InMemoryMetaStore meta = saved.meta.copy();
        boolean value = random.nextInt(4) > 0;
        Bytes key = value ? row.getKey() : changed(row.getKey(), random);
        Bytes damaged = value ? changed(row.getValue(), random) : row.getValue();
        meta.write(new MetaBatch().delete(row.getKey()).put(key, damaged));
        told += use(saved, saved.disk.copy(), meta, random) ? 1 : 0;
      }
      InMemoryMetaStore without = saved.meta.copy();
      without.write(new MetaBatch().delete(row.getKey()));
      told += use(saved, saved.disk.copy(), without, random) ? 1 : 0;
    }
    assertThat(told).isGreaterThan(rows.size() * DAMAGES / 4);
  }

  @Seeded(runs = 3)
  void aDamagedSlotIsToldOrDoesNoHarm(SplittableRandom random) throws Exception {
    Saved saved = saved(random);
    int told = 0;
    for (String name : saved.disk.names()) {
      for (int i = 0; i < DAMAGES; i++) {
        InMemoryDisk disk = saved.disk.copy();
        long at = random.nextLong(disk.size(name));
        disk.flipBit(name, at, random.nextInt(Byte.SIZE));
        told += use(saved, disk, saved.meta.copy(), random) ? 1 : 0;
      }
    }
    assertThat(told).isPositive();
  }

  private static Map<Bytes, Bytes> rows(InMemoryMetaStore meta) throws IOException {
    Map<Bytes, Bytes> rows = new TreeMap<>();
    meta.scan(
        Bytes.EMPTY,
        null,
        (key, row) -> {
          rows.put(key, row);
          return true;
        });
    return rows;
  }

  /// The name at the key's beginning, and for slots the number behind it.
  private static String kind(Bytes key) {
    String text = new String(key.toArray(), StandardCharsets.ISO_8859_1);
    return text.startsWith("slots/") ? text.substring(0, "slots/patricia".length() + 1) : "trie";
  }

  private static Bytes changed(Bytes bytes, SplittableRandom random) {
    byte[] changed = bytes.toArray();
    return switch (random.nextInt(4)) {
      case 0 -> Bytes.wrap(Arrays.copyOf(changed, random.nextInt(changed.length)));
      case 1 -> Bytes.wrap(Arrays.copyOf(changed, changed.length + 1 + random.nextInt(9)));
      default -> {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
        yield Bytes.wrap(changed);
      }
    };
  }

  /// Opens, reads all, and writes on.
  ///
  /// @return whether damage was told
  private boolean use(
      Saved saved, InMemoryDisk disk, InMemoryMetaStore meta, SplittableRandom random)
      throws IOException {
    try (Tries tries = Tries.open(disk, meta, workers, NODES_MAX)) {
      PatriciaTrie trie = tries.trie();
      if (trie.view().root().equals(TrieView.EMPTY_ROOT)) {
        return true; // its head is gone, which the sealed root shows
      }
      try (TrieView.Reader reader = trie.view().open().orElseThrow()) {
        for (Digest key : saved.known) {
          assertThat(reader.get(key)).isEqualTo(saved.reference.get(key.toArray()));
        }
      }
      for (int i = 0; i < SAVEPOINTS; i++) {
        trie.apply(Tries.batch(Tries.pairs(new ArrayList<>(saved.known), 30, random)));
        tries.savepoint(trie);
      }
      return false;
    } catch (CorruptStreamException e) {
      assertThat(e.file()).isNotBlank();
      return true;
    }
  }
}

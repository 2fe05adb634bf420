package io.tallystick.storage.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Digest;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The trie against the recursive definition: whatever the batches, the way and the workers.
final class PatriciaTrieTest {
  private static final int NODES_MAX = 1 << 20;

  private final Workers workers = new Workers(4, "trie-test");

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  private Tries fresh() throws Exception {
    return Tries.open(new InMemoryDisk(), new InMemoryMetaStore(), workers, NODES_MAX);
  }

  @Test
  void theEmptyTrieHasEthereumsRoot() throws Exception {
    PatriciaTrie trie = fresh().trie();
    assertThat(trie.view().root().hex())
        .isEqualTo("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421");
    assertThat(trie.apply(new TrieBatch(0))).isEqualTo(TrieView.EMPTY_ROOT);
    try (TrieView.Reader reader = trie.view().open().orElseThrow()) {
      assertThat(reader.get(Digest.ZERO)).isEmpty();
      assertThat(reader.proof(Digest.ZERO)).isEmpty();
    }
  }

  /// Roots, values and proofs after each batch, for keys that are there and keys that are not; by
  /// one worker and by four; saved now and then, with next to no node kept in memory.
  @Seeded(runs = 4, longRuns = 12)
  void isTheTrieOfTheDefinition(SplittableRandom random) throws Exception {
    for (UpdateWay way : UpdateWay.values()) {
      try (Workers one = new Workers(1, "alone")) {
        Workers used = random.nextBoolean() ? one : workers;
        int nodesMax = random.nextBoolean() ? 20 : NODES_MAX;
        follow(way, used, nodesMax, random.split());
      }
    }
  }

  private static void follow(UpdateWay way, Workers workers, int nodesMax, SplittableRandom random)
      throws Exception {
    try (Tries tries = Tries.open(new InMemoryDisk(), new InMemoryMetaStore(), workers, nodesMax)) {
      PatriciaTrie trie = tries.trie();
      ReferenceTrie reference = new ReferenceTrie();
      List<Digest> known = new ArrayList<>();
      for (int round = 0; round < 8; round++) {
        Map<Digest, byte[]> pairs = Tries.pairs(known, random.nextInt(1, 400), random);
        pairs.forEach((key, value) -> reference.put(key.toArray(), value));
        assertThat(trie.apply(Tries.batch(pairs), way)).as("%s", way).isEqualTo(reference.root());
        assertThat(trie.keyCount()).isEqualTo(reference.size());
        assertSame(trie.view(), reference, Tries.probes(known, 40, random));
        if (random.nextInt(3) == 0) {
          tries.savepoint(trie);
        }
      }
    }
  }

  private static void assertSame(TrieView view, ReferenceTrie reference, List<Digest> keys)
      throws Exception {
    assertThat(view.root()).isEqualTo(reference.root());
    try (TrieView.Reader reader = view.open().orElseThrow()) {
      for (Digest key : keys) {
        assertThat(reader.get(key)).isEqualTo(reference.get(key.toArray()));
        assertThat(reader.proof(key)).isEqualTo(reference.proof(key.toArray()));
      }
    }
  }

  /// One by one, all at once, and in pieces, each in an order of its own.
  @Seeded(runs = 2, longRuns = 6)
  void anyOrderGivesTheSameRoot(SplittableRandom random) throws Exception {
    List<Digest> known = new ArrayList<>();
    Map<Digest, byte[]> pairs = Tries.pairs(known, 200, random);
    List<Map.Entry<Digest, byte[]>> entries = new ArrayList<>(pairs.entrySet());
    PatriciaTrie whole = fresh().trie();
    Digest root = whole.apply(Tries.batch(pairs), UpdateWay.PHASE_NU);
    for (int pieces : new int[] {1, 7, 200}) {
      shuffle(entries, random);
      PatriciaTrie trie = fresh().trie();
      for (int from = 0; from < entries.size(); from += entries.size() / pieces) {
        int to = Math.min(entries.size(), from + entries.size() / pieces);
        Map<Digest, byte[]> piece = new TreeMap<>();
        entries.subList(from, to).forEach(entry -> piece.put(entry.getKey(), entry.getValue()));
        trie.apply(Tries.batch(piece));
      }
      assertThat(trie.view().root()).as("%d pieces", pieces).isEqualTo(root);
    }
  }

  private static <T> void shuffle(List<T> list, SplittableRandom random) {
    for (int i = list.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      T swap = list.get(i);
      list.set(i, list.get(other));
      list.set(other, swap);
    }
  }

  /// All workers in the same few nodes: every key shares 60 nibbles, extensions are split and owned
  /// at once.
  @ParameterizedTest
  @EnumSource(UpdateWay.class)
  void workersMeetInTheSameNodes(UpdateWay way) throws Exception {
    SplittableRandom random = new SplittableRandom(way.name().hashCode());
    for (int round = 0; round < 60; round++) {
      PatriciaTrie trie = fresh().trie();
      ReferenceTrie reference = new ReferenceTrie();
      for (int batchNumber = 0; batchNumber < 3; batchNumber++) {
        Map<Digest, byte[]> pairs = new TreeMap<>();
        for (int i = 0; i < 1500; i++) {
          byte[] key = new byte[Digest.BYTES];
          key[random.nextInt(29, 32)] = (byte) random.nextInt(256);
          key[31] = (byte) random.nextInt(256);
          byte[] value = new byte[32];
          random.nextBytes(value);
          pairs.put(Digest.of(key), value);
        }
        pairs.forEach((key, value) -> reference.put(key.toArray(), value));
        assertThat(trie.apply(Tries.batch(pairs), way)).isEqualTo(reference.root());
      }
    }
  }

  @Seeded(runs = 4)
  void aViewStaysWhatItIs(SplittableRandom random) throws Exception {
    PatriciaTrie trie = fresh().trie();
    ReferenceTrie reference = new ReferenceTrie();
    List<Digest> known = new ArrayList<>();
    Map<Digest, byte[]> first = Tries.pairs(known, 300, random);
    first.forEach((key, value) -> reference.put(key.toArray(), value));
    trie.apply(Tries.batch(first));
    TrieView before = trie.view();
    for (UpdateWay way : UpdateWay.values()) {
      trie.apply(Tries.batch(Tries.pairs(known, 500, random)), way);
    }
    assertThat(trie.view().root()).isNotEqualTo(before.root());
    assertSame(before, reference, known);
  }

  @ParameterizedTest
  @EnumSource(UpdateWay.class)
  void refusesAKeyTwiceAndStaysAsItWas(UpdateWay way) throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    PatriciaTrie trie = fresh().trie();
    List<Digest> known = new ArrayList<>();
    Digest root = trie.apply(Tries.batch(Tries.pairs(known, 100, random)));
    for (Digest twice : List.of(known.getFirst(), Tries.probes(List.of(), 1, random).getFirst())) {
      Map<Digest, byte[]> pairs = Tries.pairs(new ArrayList<>(known), 50, random);
      pairs.put(twice, new byte[40]);
      TrieBatch batch = Tries.batch(pairs);
      batch.put(twice.toArray(), 0, new byte[33]);
      assertThatThrownBy(() -> trie.apply(batch, way))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("has the key of an earlier one");
      assertThat(trie.view().root()).isEqualTo(root);
    }
    Map<Digest, byte[]> more = Tries.pairs(known, 50, random);
    ReferenceTrie reference = new ReferenceTrie();
    assertThat(trie.apply(Tries.batch(more), way)).isNotEqualTo(reference.root());
  }

  @Test
  void refusesValuesThatWouldBeEmbeddedOrFindNoSlot() {
    TrieBatch batch = new TrieBatch(4);
    assertThatThrownBy(() -> batch.put(new byte[32], 0, new byte[31]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("value of 31 bytes, want 32 to 128");
    assertThatThrownBy(() -> batch.put(new byte[32], 0, new byte[129]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> batch.put(new byte[32], 1, new byte[32]))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(batch.size()).isZero();
  }

  /// The longest values, at the root and deep down.
  @Test
  void takesTheLongestValues() throws Exception {
    PatriciaTrie trie = fresh().trie();
    ReferenceTrie reference = new ReferenceTrie();
    TrieBatch batch = new TrieBatch(1);
    for (int last = 0; last < 3; last++) {
      byte[] key = HexFormat.of().parseHex("11".repeat(31) + "0" + last);
      byte[] value = new byte[128 - last];
      value[0] = 1;
      batch.put(key, 0, value);
      reference.put(key, value);
    }
    assertThat(trie.apply(batch)).isEqualTo(reference.root());
  }
}

package io.tallystick.bench.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cbor.CborReader;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the textbook tree that we are measured against is right, or a comparison with it tells
/// nothing. Method: random batches of inserts and updates against a `TreeMap`; the whole tree
/// walked and hashed recursively; proofs checked node by node with code of this test; the store
/// reopened.
class MerkleTreeTest {
  private static final int ORDER = 4;

  @TempDir private Path folder;

  private final Map<Digest, Bytes> stored = new HashMap<>();
  private final MerkleTree small =
      new MerkleTree(
          ORDER,
          ORDER,
          new MerkleTree.Nodes() {
            @Override
            public byte[] read(Digest hash) {
              return node(hash).unsafeArray();
            }

            @Override
            public void write(Digest hash, Bytes encoded) {
              stored.put(hash, encoded);
            }
          });

  private Bytes node(Digest hash) {
    return Objects.requireNonNull(stored.get(hash), () -> "no node of hash " + hash);
  }

  @Test
  void holdsWhatAMapHoldsAfterEveryBatch() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    NavigableMap<Bytes, Digest> model = new TreeMap<>();
    Digest root = small.update(null, List.of(new MerkleNode.Item(Bytes.utf8("~"), hash(0))));
    model.put(Bytes.utf8("~"), hash(0));
    for (int batch = 0; batch < 60; batch++) {
      NavigableMap<Bytes, Digest> added = new TreeMap<>();
      for (int i = random.nextInt(1, 30); i > 0; i--) {
        added.put(shortKey(random), hash(random.nextLong()));
      }
      root = small.update(root, items(added));
      model.putAll(added);
      NavigableMap<Bytes, Digest> walked = new TreeMap<>();
      walk(root, null, null, true, walked);
      assertThat(walked).isEqualTo(model);
      for (int i = 0; i < 20; i++) {
        Bytes key = shortKey(random);
        assertThat(small.find(root, key)).isEqualTo(Optional.ofNullable(model.get(key)));
        int limit = random.nextInt(1, 40);
        List<MerkleNode.Item> behind = items(model.tailMap(key, true));
        assertThat(small.range(root, key, limit))
            .isEqualTo(behind.subList(0, Math.min(limit, behind.size())));
      }
    }
    assertThat(MerkleNode.level(node(root).unsafeArray())).isGreaterThanOrEqualTo(3);
  }

  @Test
  void hasNoOldVersionsInTheWay() throws Exception {
    Bytes key = Bytes.utf8("a");
    Digest first = small.update(null, List.of(new MerkleNode.Item(key, hash(1))));
    Digest second = small.update(first, List.of(new MerkleNode.Item(key, hash(2))));
    assertThat(small.find(first, key)).contains(hash(1));
    assertThat(small.find(second, key)).contains(hash(2));
    assertThat(small.update(second, List.of(new MerkleNode.Item(key, hash(1))))).isEqualTo(first);
    assertThat(small.find(null, key)).isEmpty();
  }

  @Test
  void answersAndProvesTheSameAfterItWasReopened() throws Exception {
    StateLoad load = new StateLoad(3, 64);
    SplittableRandom random = new SplittableRandom(3);
    int[] versions = new int[3_000];
    Optional<Digest> root = Optional.empty();
    try (TreeContender tree = new TreeContender(folder, 8 << 20)) {
      assertThat(tree.root()).isEmpty();
      for (int from = 0; from < versions.length; from += 500) {
        root = tree.putBatch(load.range(from, from + 500, 0));
      }
      for (int i = 0; i < 5; i++) {
        root = tree.putBatch(load.updates(random, 400, versions, versions.length));
      }
      assertThat(tree.root()).isEqualTo(root).isPresent();
    }
    try (TreeContender tree = new TreeContender(folder, 8 << 20)) {
      assertThat(tree.root()).isEqualTo(root);
      for (int i = 0; i < versions.length; i++) {
        Bytes key = load.key(i);
        Bytes value = tree.get(key).orElseThrow();
        assertThat(load.matches(i, versions[i], value)).isTrue();
        Digest proven = proven(root.orElseThrow(), key, nodes(tree.proof(key).orElseThrow()));
        assertThat(proven).isEqualTo(Sha256.hash(value.unsafeArray()));
      }
      assertThat(tree.get(load.absentKey(1))).isEmpty();
    }
  }

  @Test
  void aProofWithAnyByteChangedIsRefused() throws Exception {
    StateLoad load = new StateLoad(4, 64);
    try (TreeContender tree = new TreeContender(folder, 8 << 20)) {
      Digest root = tree.putBatch(load.range(0, 2_000, 0)).orElseThrow();
      List<Bytes> nodes = nodes(tree.proof(load.key(7)).orElseThrow());
      assertThat(nodes).hasSizeGreaterThan(2);
      for (int node = 0; node < nodes.size(); node++) {
        for (int at = 0; at < nodes.get(node).size(); at += 97) {
          List<Bytes> changed = new ArrayList<>(nodes);
          byte[] bytes = nodes.get(node).toArray();
          bytes[at] ^= 1;
          changed.set(node, Bytes.wrap(bytes));
          assertThatThrownBy(() -> proven(root, load.key(7), changed))
              .isInstanceOf(AssertionError.class);
        }
      }
    }
  }

  /// What a path of nodes proves of a key under a root.
  private static Digest proven(Digest root, Bytes key, List<Bytes> path) {
    Bytes first = path.getFirst();
    assertThat(Sha256.hash(first.unsafeArray())).isEqualTo(root);
    MerkleNode node = MerkleNode.decode(first.unsafeArray());
    assertThat(node.level()).isEqualTo(path.size() - 1);
    if (node.level() == 0) {
      return node.records().stream()
          .filter(item -> item.key().equals(key))
          .findFirst()
          .orElseThrow()
          .hash();
    }
    int slot = 0;
    for (int i = 1; i < node.records().size(); i++) {
      slot = node.records().get(i).key().compareTo(key) <= 0 ? i : slot;
    }
    return proven(node.records().get(slot).hash(), key, path.subList(1, path.size()));
  }

  private static List<Bytes> nodes(Bytes proof) throws MalformedException {
    CborReader in = new CborReader(proof);
    int count = in.array();
    List<Bytes> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(Bytes.wrap(in.bytes()));
    }
    in.end();
    return nodes;
  }

  /// Collects the records of all leaves below a node, whose keys are in `[low, high)`.
  private void walk(
      Digest hash,
      @Nullable Bytes low,
      @Nullable Bytes high,
      boolean isRoot,
      NavigableMap<Bytes, Digest> found) {
    Bytes encoded = node(hash);
    assertThat(Sha256.hash(encoded.unsafeArray())).isEqualTo(hash);
    MerkleNode node = MerkleNode.decode(encoded.unsafeArray());
    List<MerkleNode.Item> records = node.records();
    assertThat(records).hasSizeBetween(isRoot ? 1 : 2, ORDER);
    for (int i = 0; i < records.size(); i++) {
      Bytes key = records.get(i).key();
      if (node.level() == 0) {
        assertThat(low == null || key.compareTo(low) >= 0).isTrue();
        assertThat(high == null || key.compareTo(high) < 0).isTrue();
        assertThat(found.put(key, records.get(i).hash())).isNull();
      } else {
        Bytes next = i + 1 < records.size() ? records.get(i + 1).key() : high;
        walk(records.get(i).hash(), i == 0 ? low : key, next, false, found);
        byte[] child = node(records.get(i).hash()).unsafeArray();
        assertThat(MerkleNode.level(child)).isEqualTo(node.level() - 1);
      }
    }
  }

  private static List<MerkleNode.Item> items(NavigableMap<Bytes, Digest> added) {
    List<MerkleNode.Item> items = new ArrayList<>();
    added.forEach((key, hash) -> items.add(new MerkleNode.Item(key, hash)));
    return items;
  }

  private static Bytes shortKey(SplittableRandom random) {
    byte[] key = new byte[random.nextInt(1, 4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (random.nextInt(12) * 23);
    }
    return Bytes.wrap(key);
  }

  private static Digest hash(long number) {
    return Sha256.hash(Long.toString(number).getBytes(StandardCharsets.US_ASCII));
  }
}

package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: the trie on a device is that of the reference: its roots after each batch, its values, its
/// proofs. Method: batches in sequence, in both ways, with keys that meet early, late and not at
/// all, in several orders of threads. Whoever runs the kernels extends it.
abstract class DeviceTrieContract {
  private static final TrieLimits SMALL = new TrieLimits(32, 32, 52);

  /// A device whose threads run in an order from `seed`.
  abstract KernelDevice device(int seed) throws Exception;

  /// Entries of a batch, at most.
  abstract int entries();

  abstract int seeds();

  /// Whether keys are alike at their start, and so meet in few branches.
  enum Keys {
    UNIFORM {
      @Override
      byte[] key(SplittableRandom random) {
        return bytes(random, 32);
      }
    },
    CLUSTERED {
      @Override
      byte[] key(SplittableRandom random) {
        byte[] key = new byte[32];
        Arrays.fill(key, 0, 20, (byte) 0x5a);
        key[9] = (byte) (random.nextInt(3) << random.nextInt(5));
        key[19] = (byte) random.nextInt(4);
        byte[] rest = bytes(random, 12);
        System.arraycopy(rest, 0, key, 20, 12);
        return key;
      }
    },
    DENSE {
      @Override
      byte[] key(SplittableRandom random) {
        byte[] key = new byte[32];
        key[30] = (byte) random.nextInt(3);
        key[31] = (byte) random.nextInt();
        return key;
      }
    };

    abstract byte[] key(SplittableRandom random);
  }

  static byte[] bytes(SplittableRandom random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  /// A trie, its reference and the keys put so far.
  static final class Pair implements AutoCloseable {
    final DeviceTrie trie;
    final ReferenceTrie reference = new ReferenceTrie();
    final List<byte[]> keys = new ArrayList<>();
    final DeviceTrieBatch batch;

    Pair(KernelDevice device, TrieLimits limits) throws Exception {
      trie = DeviceTrie.open(device, limits);
      batch = new DeviceTrieBatch(limits);
    }

    void put(byte[] key, byte[] value) {
      batch.put(key, value);
      reference.put(key, value);
      keys.add(key);
    }

    void apply(TrieWay way) throws Exception {
      assertThat(trie.apply(batch, way))
          .as("root of %d keys", reference.size())
          .isEqualTo(reference.root());
      batch.clear();
    }

    void ask(SplittableRandom random, int questions) throws Exception {
      List<byte[]> asked = new ArrayList<>();
      for (int i = 0; i < questions; i++) {
        byte[] key = keys.get(random.nextInt(keys.size())).clone();
        if (i % 3 == 0) {
          key[random.nextInt(32)] ^= (byte) (1 << random.nextInt(8));
        }
        asked.add(key);
      }
      List<Optional<Bytes>> found = trie.find(asked);
      List<List<Bytes>> proofs = trie.proofs(asked);
      for (int i = 0; i < questions; i++) {
        assertThat(found.get(i)).isEqualTo(reference.get(asked.get(i)));
        assertThat(proofs.get(i)).isEqualTo(reference.proof(asked.get(i)));
      }
    }

    @Override
    public void close() {
      trie.close();
    }
  }

  @ParameterizedTest
  @EnumSource(Keys.class)
  void hasTheRootsOfTheReference(Keys kind) throws Exception {
    for (int seed = 0; seed < seeds(); seed++) {
      for (TrieWay way : TrieWay.values()) {
        SplittableRandom random = new SplittableRandom(seed);
        try (Pair pair = new Pair(device(seed), new TrieLimits(900, 300, 52))) {
          for (int batch = 0; batch < 3; batch++) {
            for (int i = 1 + random.nextInt(entries()); i > 0; i--) {
              boolean again = !pair.keys.isEmpty() && random.nextInt(4) == 0;
              byte[] key =
                  again ? pair.keys.get(random.nextInt(pair.keys.size())) : kind.key(random);
              pair.put(key, bytes(random, 36 + random.nextInt(17)));
            }
            pair.apply(way);
          }
          pair.ask(random, Math.min(entries(), 30));
        }
      }
    }
  }

  @Test
  void anEmptyTrieHasTheRootOfNone() throws Exception {
    try (Pair pair = new Pair(device(1), SMALL)) {
      assertThat(pair.trie.root()).isEqualTo(SealLeaf.EMPTY_CLUE_ROOT);
      assertThat(pair.trie.apply(pair.batch)).isEqualTo(SealLeaf.EMPTY_CLUE_ROOT);
      byte[] key = new byte[32];
      assertThat(pair.trie.find(List.of(key))).containsExactly(Optional.empty());
      assertThat(pair.trie.proofs(List.of(key))).containsExactly(List.of());
    }
  }

  /// A node of fewer than 32 bytes stands in the one above it, and the root's hash is its hash
  /// however short it is. Heads of strings and lists have one, two or three bytes.
  @Test
  void encodesValuesOfEveryLength() throws Exception {
    SplittableRandom random = new SplittableRandom(4);
    for (TrieWay way : TrieWay.values()) {
      try (Pair pair = new Pair(device(4), new TrieLimits(64, 64, 128))) {
        int i = 0;
        for (int length : new int[] {1, 1, 2, 20, 31, 32, 54, 55, 56, 57, 127, 128}) {
          byte[] key = new byte[32];
          key[31] = (byte) (17 * i++);
          byte[] value = bytes(random, length);
          value[0] = (byte) (i == 1 ? 0x7f : 0x80);
          pair.put(key, value);
          pair.apply(way);
          pair.ask(random, 3);
        }
      }
    }
  }

  @Test
  void ofEntriesWithOneKeyTheLastCounts() throws Exception {
    SplittableRandom random = new SplittableRandom(6);
    for (TrieWay way : TrieWay.values()) {
      try (Pair pair = new Pair(device(6), SMALL)) {
        List<byte[]> keys = List.of(bytes(random, 32), bytes(random, 32), bytes(random, 32));
        for (int batch = 0; batch < 2; batch++) {
          for (int i = 0; i < 32; i++) {
            pair.put(keys.get(random.nextInt(3)), bytes(random, 40));
          }
          pair.apply(way);
        }
      }
    }
  }

  /// Nodes that a batch did not need are there for the next: the pool has just enough.
  @Test
  void doesNotGrowByBatchesOfKeysItHas() throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    try (Pair pair = new Pair(device(7), new TrieLimits(8, 8, 40))) {
      List<byte[]> keys = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        keys.add(bytes(random, 32));
      }
      for (int batch = 0; batch < 6; batch++) {
        keys.forEach(key -> pair.put(key, bytes(random, 40)));
        pair.apply(batch % 2 == 0 ? TrieWay.PHASE_NU : TrieWay.LOCK_NU);
      }
    }
  }

  @Test
  void aFullPoolLeavesTheTrieAsItWas() throws Exception {
    SplittableRandom random = new SplittableRandom(8);
    TrieLimits limits = new TrieLimits(10, 20, 40);
    try (Pair pair = new Pair(device(8), limits)) {
      for (int i = 0; i < 20; i++) {
        pair.put(bytes(random, 32), bytes(random, 40));
      }
      pair.apply(TrieWay.LOCK_NU);
      List<byte[]> keys = List.copyOf(pair.keys);
      DeviceTrieBatch more = new DeviceTrieBatch(limits);
      for (int i = 0; i < 20; i++) {
        more.put(bytes(random, 32), bytes(random, 40));
      }
      for (TrieWay way : TrieWay.values()) {
        assertThatExceptionOfType(DeviceFullException.class)
            .isThrownBy(() -> pair.trie.apply(more, way))
            .withMessage("no nodes for 20 entries in a trie for 10 keys");
      }
      assertThat(pair.trie.root()).isEqualTo(pair.reference.root());
      pair.ask(random, 6);
      // It takes what it still has room for.
      for (int i = 0; i < 8; i++) {
        pair.put(keys.get(i), bytes(random, 40));
      }
      pair.apply(TrieWay.PHASE_NU);
    }
  }

  @Test
  void refusesBatchesForAnotherTrie() throws Exception {
    try (Pair pair = new Pair(device(9), SMALL)) {
      DeviceTrieBatch other = new DeviceTrieBatch(new TrieLimits(32, 32, 128));
      other.put(new byte[32], new byte[100]);
      assertThatIllegalArgumentException().isThrownBy(() -> pair.trie.apply(other));
    }
  }
}

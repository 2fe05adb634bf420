package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tallystick.bench.gpu.trie.DeviceTrie;
import io.tallystick.bench.gpu.trie.DeviceTrieBatch;
import io.tallystick.bench.gpu.trie.TrieLimits;
import io.tallystick.bench.gpu.trie.TrieWay;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.bouncycastle.jcajce.provider.digest.Keccak;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: the trie on a device is that of the reference: its roots after each batch, its values, its
/// proofs. Method: batches in sequence, in both ways, with keys that meet early, late and not at
/// all, in several orders of threads. Whoever runs the kernels extends it.
abstract class DeviceTrieContract {
  private static final TrieLimits SMALL = new TrieLimits(32, 32, 52);

  /// A root that go-ethereum 1.17.10 computed. Key i is the Keccak-256 of i in 8 bytes, of which
  /// the first `alike` bytes are 0x5a instead; its value is the Keccak-256 of that hash, and the
  /// hash's first 8 bytes.
  record GoEthereum(int alike, int count, String root) {}

  static final List<GoEthereum> GO_ETHEREUM =
      List.of(
          new GoEthereum(0, 12, "2c23e19b9a6782c5d8f46d4a13d6332792fe5f69ad6ba89eb570402595f4ef50"),
          new GoEthereum(
              20, 12, "ddf79388dc0bee4d8226d23b2215c6b90eaae52a72a719a5b2c0242d1971bdf4"),
          new GoEthereum(
              0, 300, "2109dcc238f44b84f81e6a7e338bc896342046e72dda9dd6466f75ac60c3e909"),
          new GoEthereum(
              20, 300, "936f297a5de307bd12f43a61fc6979e9da197e0149b6327290a07c15b808930c"));

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

  private static byte[] keccak256(byte[] message) {
    return new Keccak.Digest256().digest(message);
  }

  /// What is there after all steps of an official test.
  private static Map<Bytes, Bytes> pairs(JsonElement in) {
    Map<Bytes, Bytes> pairs = new LinkedHashMap<>();
    if (in.isJsonObject()) {
      in.getAsJsonObject().asMap().forEach((key, value) -> pairs.put(text(key), text(value)));
    } else {
      for (JsonElement step : in.getAsJsonArray()) {
        JsonElement key = step.getAsJsonArray().get(0);
        JsonElement value = step.getAsJsonArray().get(1);
        pairs.put(text(key), value.isJsonNull() ? Bytes.EMPTY : text(value));
      }
    }
    pairs.values().removeIf(Bytes::isEmpty);
    return pairs;
  }

  private static Bytes text(JsonElement element) {
    return text(element.getAsString());
  }

  private static Bytes text(String text) {
    return text.startsWith("0x") ? Bytes.fromHex(text.substring(2)) : Bytes.utf8(text);
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
      assertThat(contents(pair.trie)).isEqualTo(contents(pair));
      // It takes what it still has room for.
      for (int i = 0; i < 8; i++) {
        pair.put(keys.get(i), bytes(random, 40));
      }
      pair.apply(TrieWay.PHASE_NU);
    }
  }

  @Test
  void hasTheRootsOfGoEthereum() throws Exception {
    for (GoEthereum made : GO_ETHEREUM) {
      if (made.count <= entries()) {
        for (TrieWay way : TrieWay.values()) {
          hasTheRoot(made, way);
        }
      }
    }
  }

  final void hasTheRoot(GoEthereum made, TrieWay way) throws Exception {
    try (Pair pair = new Pair(device(10), new TrieLimits(300, 300, 40))) {
      for (int i = 0; i < made.count; i++) {
        byte[] key = keccak256(ByteBuffer.allocate(Long.BYTES).putLong(i).array());
        byte[] value = Arrays.copyOf(keccak256(key), 40);
        System.arraycopy(key, 0, value, 32, 8);
        Arrays.fill(key, 0, made.alike, (byte) 0x5a);
        pair.put(key, value);
      }
      pair.apply(way);
      assertThat(pair.trie.root()).isEqualTo(Digest.fromHex(made.root));
    }
  }

  /// Those of the official TrieTests whose keys are hashed. What a test deletes is left out.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "trietest_secureTrie.json",
        "trieanyorder_secureTrie.json",
        "hex_encoded_securetrie_test.json"
      })
  void hasTheRootsOfTheOfficialTests(String file) throws Exception {
    String directory = System.getProperty("tallystick.vectors");
    assumeTrue(directory != null, "no vectors: name their directory with -Dtallystick.vectors=DIR");
    Path path = Path.of(String.valueOf(directory), "ethereum-trietests", file);
    JsonObject tests = JsonParser.parseString(Files.readString(path)).getAsJsonObject();
    for (String name : tests.keySet()) {
      JsonObject test = tests.getAsJsonObject(name);
      try (Pair pair = new Pair(device(11), new TrieLimits(64, 64, 128))) {
        pairs(test.get("in"))
            .forEach((key, value) -> pair.put(keccak256(key.toArray()), value.toArray()));
        pair.apply(TrieWay.of(pair.batch));
        assertThat(pair.trie.root())
            .as(name)
            .isEqualTo(Digest.fromHex(test.get("root").getAsString().substring(2)));
      }
    }
  }

  private static Map<Bytes, Bytes> contents(DeviceTrie trie) throws Exception {
    Map<Bytes, Bytes> contents = new HashMap<>();
    trie.forEach((key, value) -> contents.put(Bytes.wrap(key), Bytes.wrap(value)));
    return contents;
  }

  private static Map<Bytes, Bytes> contents(Pair pair) {
    return pair.keys.stream()
        .map(Bytes::wrap)
        .distinct()
        .collect(Collectors.toMap(key -> key, key -> pair.reference.get(key.toArray()).get()));
  }

  @Test
  void refusesLimitsBeyondWhatReferencesName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TrieLimits(Integer.MAX_VALUE, 1, 32))
        .withMessage("2147483647 keys and 1 entries are more nodes than references name");
    assertThatIllegalArgumentException().isThrownBy(() -> new TrieLimits(0, 1, 32));
    assertThatIllegalArgumentException().isThrownBy(() -> new TrieLimits(1, 1 << 24, 32));
    assertThatIllegalArgumentException().isThrownBy(() -> new TrieLimits(1, 1, 129));
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

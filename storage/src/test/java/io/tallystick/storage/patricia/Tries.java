package io.tallystick.storage.patricia;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// Tries over a disk and a meta store, as a shard holds them, and keys to try them with.
final class Tries implements AutoCloseable {
  static final StrandId STRAND = strand(0);

  private final MetaStore meta;
  private final PatriciaStore store;

  private Tries(MetaStore meta, PatriciaStore store) {
    this.meta = meta;
    this.store = store;
  }

  /// Two versions are kept, so that slots are soon used again.
  static Tries open(Disk disk, MetaStore meta, Workers workers, int nodesMax)
      throws IOException, CorruptStreamException {
    SlotLimits limits = new SlotLimits(2, 0);
    return new Tries(
        meta, PatriciaStore.restore(disk, meta, workers, BatchHasher.cpu(), limits, nodesMax));
  }

  static StrandId strand(int number) {
    return new StrandId(
        LedgerId.fromHex("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"),
        number);
  }

  PatriciaStore store() {
    return store;
  }

  PatriciaTrie trie() throws IOException, CorruptStreamException {
    return store.trie(STRAND);
  }

  void savepoint(PatriciaTrie... tries) throws IOException, CorruptStreamException {
    MetaBatch batch = new MetaBatch();
    for (PatriciaTrie trie : tries) {
      trie.savepoint(batch);
    }
    store.savepoint(batch);
    meta.write(batch);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }

  /// A batch of these pairs.
  static TrieBatch batch(Map<Digest, byte[]> pairs) {
    TrieBatch batch = new TrieBatch(1);
    pairs.forEach((key, value) -> batch.put(key.toArray(), 0, value));
    return batch;
  }

  /// Values for keys old and new, evenly spread and in clusters: beside known keys, with long
  /// prefixes in common, and differing in their last nibbles only.
  static Map<Digest, byte[]> pairs(List<Digest> known, int count, SplittableRandom random) {
    Map<Digest, byte[]> pairs = new LinkedHashMap<>();
    while (pairs.size() < count) {
      Digest key = key(known, random);
      byte[] value = new byte[random.nextInt(TrieBatch.VALUE_BYTES_MIN, 61)];
      random.nextBytes(value);
      pairs.put(key, value);
      known.add(key);
    }
    return pairs;
  }

  private static Digest key(List<Digest> known, SplittableRandom random) {
    byte[] key = new byte[Digest.BYTES];
    random.nextBytes(key);
    int kind = random.nextInt(6);
    if (known.isEmpty() || kind < 2) {
      return Digest.of(key);
    }
    Digest other = known.get(random.nextInt(known.size()));
    if (kind == 2) {
      return other;
    }
    int shared = kind == 3 ? 31 : random.nextInt(Digest.BYTES);
    byte[] near = other.toArray();
    System.arraycopy(near, 0, key, 0, shared);
    if (random.nextBoolean()) {
      key[shared] = (byte) ((near[shared] & 0xf0) | (key[shared] & 0x0f));
    }
    return Digest.of(key);
  }

  /// Keys that are mostly not there, but near to some that are.
  static List<Digest> probes(List<Digest> known, int count, SplittableRandom random) {
    List<Digest> probes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      probes.add(key(known, random));
    }
    return probes;
  }
}

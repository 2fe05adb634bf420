package io.tallystick.bench.gpu;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.gpu.trie.DeviceTrie;
import io.tallystick.bench.gpu.trie.DeviceTrieBatch;
import io.tallystick.bench.gpu.trie.TrieLimits;
import io.tallystick.gpu.KernelDevice;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.storage.patricia.PatriciaStore;
import io.tallystick.storage.patricia.TrieBatch;
import io.tallystick.storage.patricia.Workers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/// Random keys into an empty trie, and its root: a trie in the device's memory, from keys and
/// values on the heap, beside ours with all processors.
record TrieInsertCase(KernelDevice kernels, int keys) implements MeasuredCase {
  private static final int KEY_BYTES = 32;
  private static final int VALUE_BYTES = 38;
  private static final double WANTED = 8;

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    TrieLimits limits = new TrieLimits(keys, keys, VALUE_BYTES);
    List<byte[]> all = new ArrayList<>(keys);
    List<byte[]> values = new ArrayList<>(keys);
    DeviceTrieBatch batch = new DeviceTrieBatch(limits);
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < keys; i++) {
      byte[] key = new byte[KEY_BYTES];
      byte[] value = new byte[VALUE_BYTES];
      random.nextBytes(key);
      random.nextBytes(value);
      all.add(key);
      values.add(value);
    }
    Set<Digest> roots = new HashSet<>();
    try (Disk disk = LocalDisk.open(run.home());
        MetaStore meta = RocksMetaStore.open(run.home().resolve("meta"));
        Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "bench");
        PatriciaStore store =
            PatriciaStore.restore(
                disk, meta, workers, BatchHasher.cpu(), SlotLimits.DEFAULT, Integer.MAX_VALUE)) {
      int[] turns = {0};
      List<BenchCase> measured =
          SideBySide.measure(
              run,
              "trie-insert",
              "keys/s",
              keys,
              WANTED,
              () -> {
                batch.clear();
                for (int i = 0; i < keys; i++) {
                  batch.put(all.get(i), values.get(i));
                }
                try (DeviceTrie trie = DeviceTrie.open(kernels, limits)) {
                  roots.add(trie.apply(batch));
                }
              },
              () -> {
                TrieBatch same = new TrieBatch(keys);
                for (int i = 0; i < keys; i++) {
                  same.put(all.get(i), 0, values.get(i));
                }
                roots.add(store.trie(strand(turns[0]++)).apply(same));
              });
      if (roots.size() != 1) {
        throw new IllegalStateException("roots differ: " + roots);
      }
      return measured;
    }
  }

  /// Each turn has a trie of its own.
  private static StrandId strand(int turn) {
    byte[] ledger = ByteBuffer.allocate(Digest.BYTES).putInt(turn).array();
    return new StrandId(new LedgerId(Digest.of(ledger)), 0);
  }
}

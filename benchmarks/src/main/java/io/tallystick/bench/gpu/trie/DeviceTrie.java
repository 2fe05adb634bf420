package io.tallystick.bench.gpu.trie;

import io.tallystick.gpu.DeviceFullException;
import io.tallystick.gpu.DeviceMemory;
import io.tallystick.gpu.Kernel;
import io.tallystick.gpu.KernelArgument;
import io.tallystick.gpu.KernelDevice;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;

/// A Merkle Patricia trie in a device's memory: 32-byte keys to values, its root as Ethereum
/// computes it. It is for bulk work: it has one version, which no disk holds. As in the trie on the
/// CPU, a key is never removed.
///
/// A device that fails takes the trie with it; the caller fills one on the CPU from where the pairs
/// came from. One that is full goes on, and gives its pairs away ({@link #forEach}). One thread's.
///
/// Source: Accelerating Merkle Patricia Trie with GPU, sections 3 and 4.2.
public final class DeviceTrie implements AutoCloseable {
  private static final int PROOF_WORDS_MAX = 1 << 28; // of a batch's proofs together

  private static final int LEAVES_AT_A_TIME = 1 << 16;

  private final KernelDevice device;
  private final TrieLimits limits;
  private final TriePool pool;
  private Digest root = SealLeaf.EMPTY_CLUE_ROOT;
  private boolean isUsable = true;

  private DeviceTrie(KernelDevice device, TrieLimits limits, TriePool pool) {
    this.device = device;
    this.limits = limits;
    this.pool = pool;
  }

  /// An empty trie.
  ///
  /// @throws DeviceFullException if the device has no room for it
  public static DeviceTrie open(KernelDevice device, TrieLimits limits)
      throws DeviceLostException, DeviceFullException {
    return new DeviceTrie(device, limits, new TriePool(device, limits));
  }

  public Digest root() {
    return root;
  }

  /// Sets the values of a batch, in the way that its keys call for.
  ///
  /// @throws DeviceFullException if it may have no room for the batch; the trie is then as before
  /// @return the root
  public Digest apply(DeviceTrieBatch batch) throws DeviceLostException, DeviceFullException {
    return apply(batch, TrieWay.of(batch));
  }

  /// As {@link #apply(DeviceTrieBatch)}, in the way that the caller chose.
  public Digest apply(DeviceTrieBatch batch, TrieWay way)
      throws DeviceLostException, DeviceFullException {
    if (!batch.limits().equals(limits)) {
      throw new IllegalArgumentException("a batch for " + batch.limits() + ", want " + limits);
    }
    if (batch.count() == 0) {
      return root;
    }
    checkUsable();
    isUsable = false;
    int count = batch.count();
    try {
      pool.reserve(count);
    } catch (DeviceFullException e) {
      isUsable = true;
      throw e;
    }
    pool.memory(TrieArray.ENTRY_KEYS).copyIn(0, batch.keys());
    pool.memory(TrieArray.ENTRY_VALUES).copyIn(0, batch.values());
    pool.memory(TrieArray.ENTRY_BYTES).copyIn(0, batch.lengths());
    insert(count, way);
    hash(count);
    root = readRoot();
    isUsable = true;
    return root;
  }

  private void insert(int count, TrieWay way) throws DeviceLostException {
    switch (way) {
      case PHASE_NU -> {
        run(Kernel.TRIE_EXPAND, count);
        run(Kernel.TRIE_INSERT, count);
      }
      case LOCK_NU -> run(Kernel.TRIE_LOCK_INSERT, count);
    }
  }

  private void hash(int count) throws DeviceLostException {
    run(Kernel.TRIE_MARK, count);
    int starts = pool.startCount();
    pool.run(
        Kernel.TRIE_HASH, (long) starts * Kernel.WARP_THREADS, new KernelArgument.Word(starts));
  }

  private void run(Kernel kernel, int count) throws DeviceLostException {
    pool.run(kernel, count, new KernelArgument.Word(count));
  }

  private Digest readRoot() throws DeviceLostException {
    int node = pool.words(TrieArray.CHILDREN, 1)[0];
    long offset = Integer.toUnsignedLong(node) * Digest.BYTES;
    return Digest.of(TriePool.bytes(pool.memory(TrieArray.HASHES), offset, Digest.BYTES));
  }

  private void checkUsable() {
    if (!isUsable) {
      throw new IllegalStateException("the trie is closed, or its device failed in an update");
    }
  }

  /// The value of each key, in their order.
  ///
  /// @param keys of 32 bytes each
  public List<Optional<Bytes>> find(List<byte[]> keys) throws DeviceLostException {
    checkUsable();
    List<Optional<Bytes>> found = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += limits.batch()) {
      find(keys.subList(from, Math.min(keys.size(), from + limits.batch())), found);
    }
    return found;
  }

  private void find(List<byte[]> keys, List<Optional<Bytes>> found) throws DeviceLostException {
    ask(keys);
    run(Kernel.TRIE_FIND, keys.size());
    int stride = limits.valueWords() * Integer.BYTES;
    int[] lengths = pool.words(TrieArray.ENTRY_BYTES, keys.size());
    byte[] values = TriePool.bytes(pool.memory(TrieArray.ENTRY_VALUES), 0, keys.size() * stride);
    for (int i = 0; i < lengths.length; i++) {
      found.add(
          lengths[i] == 0
              ? Optional.empty()
              : Optional.of(Bytes.copyOf(values, i * stride, lengths[i])));
    }
  }

  private void ask(List<byte[]> keys) throws DeviceLostException {
    byte[] all = new byte[keys.size() * DeviceTrieBatch.KEY_BYTES];
    for (int i = 0; i < keys.size(); i++) {
      byte[] key = keys.get(i);
      if (key.length != DeviceTrieBatch.KEY_BYTES) {
        throw new IllegalArgumentException(
            String.format(Locale.ROOT, "key of %d bytes, want 32", key.length));
      }
      System.arraycopy(key, 0, all, i * key.length, key.length);
    }
    pool.memory(TrieArray.ENTRY_KEYS).copyIn(0, MemorySegment.ofArray(all));
  }

  /// The proof of each key, in their order: the encoded nodes on its way, from the root to where
  /// the way ends, at its value or where there is none. Two passes: sizes, then proofs.
  ///
  /// @param keys of 32 bytes each
  /// @throws DeviceFullException if the device has no room for them; the trie is as before
  public List<List<Bytes>> proofs(List<byte[]> keys)
      throws DeviceLostException, DeviceFullException {
    checkUsable();
    List<List<Bytes>> proofs = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += limits.batch()) {
      prove(keys.subList(from, Math.min(keys.size(), from + limits.batch())), proofs);
    }
    return proofs;
  }

  private void prove(List<byte[]> keys, List<List<Bytes>> proofs)
      throws DeviceLostException, DeviceFullException {
    int count = keys.size();
    long threads = (long) count * Kernel.WARP_THREADS;
    KernelArgument.Word counted = new KernelArgument.Word(count);
    ask(keys);
    pool.run(Kernel.TRIE_PROOF_SIZES, threads, counted);
    int[] starts = new int[count + 1];
    int[] sizes = pool.words(TrieArray.PLACES, count);
    for (int i = 0; i < count; i++) {
      starts[i + 1] = starts[i] + sizes[i];
      if (starts[i + 1] > PROOF_WORDS_MAX) {
        throw new DeviceFullException("proofs of " + count + " keys are too large together");
      }
    }
    if (starts[count] == 0) {
      keys.forEach(_ -> proofs.add(List.of()));
      return;
    }
    MemorySegment places = MemorySegment.ofArray(Arrays.copyOf(starts, count));
    pool.memory(TrieArray.PLACES).copyIn(0, places);
    try (DeviceMemory written = device.allocate((long) starts[count] * Integer.BYTES)) {
      pool.run(Kernel.TRIE_PROOFS, threads, counted, new KernelArgument.Pointer(written, 0));
      byte[] all = TriePool.bytes(written, 0, starts[count] * Integer.BYTES);
      for (int i = 0; i < count; i++) {
        proofs.add(TriePool.messages(all, starts[i], starts[i + 1]));
      }
    }
  }

  /// Gives every key with its value, in any order: for a trie elsewhere, once this one is full.
  public void forEach(BiConsumer<byte[], byte[]> consumer) throws DeviceLostException {
    checkUsable();
    int given = pool.leafSlotsGiven();
    int stride = limits.valueWords() * Integer.BYTES;
    for (int from = 1; from < given; from += LEAVES_AT_A_TIME) {
      int count = Math.min(LEAVES_AT_A_TIME, given - from);
      int[] hashed = pool.words(TrieArray.HASH_BYTES, from, count);
      int[] lengths = pool.words(TrieArray.VALUE_BYTES, from, count);
      byte[] keys = leaves(TrieArray.KEYS, DeviceTrieBatch.KEY_BYTES, from, count);
      byte[] values = leaves(TrieArray.VALUES, stride, from, count);
      for (int i = 0; i < count; i++) {
        if (hashed[i] != 0) {
          int key = i * DeviceTrieBatch.KEY_BYTES;
          int value = i * stride;
          consumer.accept(
              Arrays.copyOfRange(keys, key, key + DeviceTrieBatch.KEY_BYTES),
              Arrays.copyOfRange(values, value, value + lengths[i]));
        }
      }
    }
  }

  private byte[] leaves(TrieArray array, int bytes, int from, int count)
      throws DeviceLostException {
    return TriePool.bytes(pool.memory(array), (long) from * bytes, count * bytes);
  }

  /// Gives the memory back.
  @Override
  public void close() {
    isUsable = false;
    pool.close();
  }
}

package io.tallystick.bench.gpu.trie;

import io.tallystick.gpu.DeviceFullException;
import io.tallystick.gpu.DeviceMemory;
import io.tallystick.gpu.Kernel;
import io.tallystick.gpu.KernelArgument;
import io.tallystick.gpu.KernelDevice;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.model.Bytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A trie's memory on a device: the arrays, and their description, which every kernel is given. The
/// description is the device's own: it has addresses, which kernels put there.
final class TriePool implements AutoCloseable {
  // The numbers at the start of a description, by their order in `trie.cuh`.
  private static final int LEAF_SLOTS = 0;
  private static final int BRANCH_SLOTS = 1;
  private static final int ENTRIES_MAX = 2;
  private static final int VALUE_WORDS = 3;
  private static final int NEXT_LEAF = 4;
  private static final int NEXT_BRANCH = 5;
  private static final int IS_FULL = 6;
  private static final int START_COUNT = 7;
  private static final int NUMBERS = 8;

  private static final int DESCRIPTION_BYTES =
      NUMBERS * Integer.BYTES + TrieArray.values().length * Long.BYTES;

  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final KernelDevice device;
  private final TrieLimits limits;
  private final List<DeviceMemory> allocated = new ArrayList<>();
  private final Map<TrieArray, DeviceMemory> arrays = new EnumMap<>(TrieArray.class);
  private final DeviceMemory description;

  /// An empty one.
  ///
  /// @throws DeviceFullException if it has no room for it; nothing is left there
  TriePool(KernelDevice device, TrieLimits limits) throws DeviceLostException, DeviceFullException {
    this.device = device;
    this.limits = limits;
    boolean isOpen = false;
    try {
      description = allocate(DESCRIPTION_BYTES);
      for (TrieArray array : TrieArray.values()) {
        arrays.put(array, allocate(array.bytes(limits)));
      }
      describe();
      isOpen = true;
    } finally {
      if (!isOpen) {
        close();
      }
    }
  }

  private DeviceMemory allocate(long bytes) throws DeviceLostException, DeviceFullException {
    DeviceMemory memory = device.allocate(bytes);
    allocated.add(memory);
    return memory;
  }

  private void describe() throws DeviceLostException {
    number(LEAF_SLOTS, (int) limits.leafSlots());
    number(BRANCH_SLOTS, (int) limits.branchSlots());
    number(ENTRIES_MAX, limits.batch());
    number(VALUE_WORDS, limits.valueWords());
    int field = 0;
    for (TrieArray array : TrieArray.values()) {
      KernelArgument.Word number = new KernelArgument.Word(field++);
      run(Kernel.TRIE_ATTACH, 1, number, new KernelArgument.Pointer(memory(array), 0));
    }
    run(Kernel.TRIE_CLEAR, limits.batch());
  }

  private void number(int field, int value) throws DeviceLostException {
    run(Kernel.TRIE_NUMBER, 1, new KernelArgument.Word(field), new KernelArgument.Word(value));
  }

  /// Runs a kernel on this description, with a thread for each of `threads`, at least.
  void run(Kernel kernel, long threads, KernelArgument... arguments) throws DeviceLostException {
    int blockThreads = Kernel.TRIE_BLOCK_THREADS_MAX;
    List<KernelArgument> all = new ArrayList<>();
    all.add(new KernelArgument.Pointer(description, 0));
    all.addAll(List.of(arguments));
    int blocks = Math.toIntExact((threads + blockThreads - 1) / blockThreads);
    device.launch(kernel, blocks, blockThreads, all);
  }

  DeviceMemory memory(TrieArray array) {
    DeviceMemory memory = arrays.get(array);
    if (memory == null) {
      throw new AssertionError("no array " + array);
    }
    return memory;
  }

  /// Words of an array from its start.
  int[] words(TrieArray array, int count) throws DeviceLostException {
    return words(array, 0, count);
  }

  int[] words(TrieArray array, int from, int count) throws DeviceLostException {
    return words(memory(array), (long) from * Integer.BYTES, count);
  }

  static int[] words(DeviceMemory memory, long offset, int count) throws DeviceLostException {
    MemorySegment segment = MemorySegment.ofArray(bytes(memory, offset, count * Integer.BYTES));
    int[] words = new int[count];
    for (int i = 0; i < count; i++) {
      words[i] = segment.getAtIndex(U32, i);
    }
    return words;
  }

  static byte[] bytes(DeviceMemory memory, long offset, int count) throws DeviceLostException {
    byte[] bytes = new byte[count];
    memory.copyOut(offset, MemorySegment.ofArray(bytes));
    return bytes;
  }

  /// Messages from one word to another, each behind a word with its bytes, rounded up to words.
  static List<Bytes> messages(byte[] words, int from, int to) {
    MemorySegment segment = MemorySegment.ofArray(words);
    List<Bytes> messages = new ArrayList<>();
    for (int at = from; at < to; ) {
      int bytes = segment.getAtIndex(U32, at);
      messages.add(Bytes.copyOf(words, (at + 1) * Integer.BYTES, bytes));
      at += 1 + (bytes + Integer.BYTES - 1) / Integer.BYTES;
    }
    return List.copyOf(messages);
  }

  /// Nodes for each entry of a batch, so that an update cannot lack any.
  ///
  /// @throws DeviceFullException if there are not enough; the trie is as before
  void reserve(int entries) throws DeviceLostException, DeviceFullException {
    run(Kernel.TRIE_RESERVE, entries, new KernelArgument.Word(entries));
    int[] numbers = words(description, 0, NUMBERS);
    if (numbers[IS_FULL] != 0) {
      // What was counted beyond the end was given to nobody.
      number(NEXT_LEAF, bounded(numbers[NEXT_LEAF], limits.leafSlots()));
      number(NEXT_BRANCH, bounded(numbers[NEXT_BRANCH], limits.branchSlots()));
      number(IS_FULL, 0);
      throw new DeviceFullException(
          String.format(
              Locale.ROOT,
              "no nodes for %d entries in a trie for %d keys",
              entries,
              limits.keys()));
    }
  }

  private static int bounded(int next, long slots) {
    return (int) Math.min(Integer.toUnsignedLong(next), slots);
  }

  /// Slots of leaves that were given away, with the one that is no leaf. Not all are in the trie.
  int leafSlotsGiven() throws DeviceLostException {
    return bounded(words(description, 0, NUMBERS)[NEXT_LEAF], limits.leafSlots());
  }

  /// Nodes that hashing starts at.
  int startCount() throws DeviceLostException {
    return words(description, 0, NUMBERS)[START_COUNT];
  }

  @Override
  public void close() {
    allocated.forEach(DeviceMemory::close);
    allocated.clear();
  }
}

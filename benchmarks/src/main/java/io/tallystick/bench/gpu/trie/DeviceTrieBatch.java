package io.tallystick.bench.gpu.trie;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;

/// Values to be set in one update of a {@link DeviceTrie}, by keys of 32 bytes. Of entries with one
/// key the last counts. One thread's; it may be cleared and filled again.
public final class DeviceTrieBatch {
  /// Of a key.
  public static final int KEY_BYTES = 32;

  private static final int KEY_NIBBLES = 2 * KEY_BYTES;
  private static final int ENTRIES_MIN = 64;

  private final TrieLimits limits;
  private final int stride;
  private byte[] keys = {};
  private byte[] values = {};
  private int[] lengths = {};
  private int count;

  /// @param limits of the trie
  public DeviceTrieBatch(TrieLimits limits) {
    this.limits = limits;
    this.stride = limits.valueWords() * Integer.BYTES;
  }

  /// Adds an entry; both arrays are copied.
  ///
  /// @throws IllegalArgumentException if there is no room for it by the limits, or the value is
  ///   empty
  public void put(byte[] key, byte[] value) {
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "key of %d bytes, want 32", key.length));
    }
    if (value.length < 1 || value.length > limits.valueBytes()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "value of %d bytes, want 1 to %d", value.length, limits.valueBytes()));
    }
    if (count == limits.batch()) {
      throw new IllegalArgumentException(String.format(Locale.ROOT, "more than %d entries", count));
    }
    if (count == lengths.length) {
      grow(Math.min(limits.batch(), Math.max(ENTRIES_MIN, 2 * count)));
    }
    System.arraycopy(key, 0, keys, count * KEY_BYTES, KEY_BYTES);
    System.arraycopy(value, 0, values, count * stride, value.length);
    lengths[count++] = value.length;
  }

  private void grow(int entries) {
    keys = Arrays.copyOf(keys, Math.multiplyExact(entries, KEY_BYTES));
    values = Arrays.copyOf(values, Math.multiplyExact(entries, stride));
    lengths = Arrays.copyOf(lengths, entries);
  }

  public int count() {
    return count;
  }

  /// Empties it and keeps its memory.
  public void clear() {
    count = 0;
  }

  TrieLimits limits() {
    return limits;
  }

  MemorySegment keys() {
    return MemorySegment.ofArray(keys).asSlice(0, (long) count * KEY_BYTES);
  }

  MemorySegment values() {
    return MemorySegment.ofArray(values).asSlice(0, (long) count * stride);
  }

  MemorySegment lengths() {
    return MemorySegment.ofArray(lengths).asSlice(0, (long) count * Integer.BYTES);
  }

  /// How many nibbles neighbours of a sorted sample share, on average.
  ///
  /// @param sample entries, from 2 to all
  double sharedNibbles(int sample) {
    byte[][] sorted = new byte[sample][];
    for (int i = 0; i < sample; i++) {
      int at = (int) ((long) i * count / sample) * KEY_BYTES;
      sorted[i] = Arrays.copyOfRange(keys, at, at + KEY_BYTES);
    }
    Arrays.sort(sorted, Arrays::compareUnsigned);
    double shared = 0;
    for (int i = 1; i < sample; i++) {
      shared += sharedNibbles(sorted[i - 1], sorted[i]);
    }
    return shared / (sample - 1);
  }

  private static int sharedNibbles(byte[] left, byte[] right) {
    int bytes = Arrays.mismatch(left, right);
    if (bytes < 0) {
      return KEY_NIBBLES;
    }
    return 2 * bytes + (((left[bytes] ^ right[bytes]) & 0xf0) == 0 ? 1 : 0);
  }
}

package io.tallystick.storage.patricia;

import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;

/// Values to be set in one edit, by distinct keys of 32 bytes. One thread fills it; it may be
/// cleared and filled again once the edit is done, which keeps no key but the values.
public final class TrieBatch {
  /// Encoded nodes have at least 32 bytes by it, and a slot always has room for one.
  public static final int VALUE_BYTES_MIN = 32;

  public static final int VALUE_BYTES_MAX = 128;

  private static final int KEY = Nibbles.KEY_BYTES;
  private static final int ORDER_BITS = 16;
  private static final int ORDERED_MIN = 64;
  private static final int KEPT_MAX = 1 << 14;

  private byte[] keys;
  private byte[][] values;
  private int[] order = {};
  private int[] starts = {};
  private int size;

  /// @param expected number of values; more may be added
  public TrieBatch(int expected) {
    this.keys = new byte[Math.multiplyExact(Math.max(expected, 1), KEY)];
    this.values = new byte[Math.max(expected, 1)][];
  }

  /// Adds a value.
  ///
  /// @param key 32 bytes at `keyOffset`, copied
  /// @param value 32 to 128 bytes, kept: the caller changes it no more
  public void put(byte[] key, int keyOffset, byte[] value) {
    Objects.checkFromIndexSize(keyOffset, KEY, key.length);
    if (value.length < VALUE_BYTES_MIN || value.length > VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "value of %d bytes, want %d to %d",
              value.length,
              VALUE_BYTES_MIN,
              VALUE_BYTES_MAX));
    }
    if (size == values.length) {
      keys = Arrays.copyOf(keys, Math.multiplyExact(2, keys.length));
      values = Arrays.copyOf(values, 2 * size);
    }
    System.arraycopy(key, keyOffset, keys, size * KEY, KEY);
    values[size++] = value;
  }

  public int size() {
    return size;
  }

  /// Empties it; of the memory of a large batch nothing is kept.
  public void clear() {
    if (values.length > KEPT_MAX) {
      keys = new byte[KEPT_MAX * KEY];
      values = new byte[KEPT_MAX][];
      order = new int[0];
    }
    Arrays.fill(values, 0, Math.min(size, values.length), null);
    size = 0;
  }

  byte[] keys() {
    return keys;
  }

  /// Where the key of `entry` begins.
  static int keyOffset(int entry) {
    return entry * KEY;
  }

  byte[] key(int entry) {
    return Arrays.copyOfRange(keys, entry * KEY, (entry + 1) * KEY);
  }

  byte[] value(int entry) {
    return values[entry];
  }

  /// Entry at `place` in the order of {@link #arrange}.
  int at(int place) {
    return order[place];
  }

  /// Puts entries with the same first two bytes beside each other: workers then meet in few nodes,
  /// and find what they need in their caches.
  void arrange() {
    if (order.length < size) {
      order = new int[Math.max(size, values.length)];
    }
    if (size < ORDERED_MIN) {
      Arrays.setAll(order, i -> i);
      return;
    }
    if (starts.length == 0) {
      starts = new int[(1 << ORDER_BITS) + 1];
    } else {
      Arrays.fill(starts, 0);
    }
    for (int i = 0; i < size; i++) {
      starts[prefix(i) + 1]++;
    }
    for (int i = 1; i < starts.length; i++) {
      starts[i] += starts[i - 1];
    }
    for (int i = 0; i < size; i++) {
      order[starts[prefix(i)]++] = i;
    }
  }

  private int prefix(int entry) {
    return ((keys[entry * KEY] & 0xff) << 8) | (keys[entry * KEY + 1] & 0xff);
  }
}

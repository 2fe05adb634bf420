package io.tallystick.storage.page;

import java.util.Arrays;
import java.util.Locale;

/// The four sizes that the slots of a store have, ascending. An address is `number << 2 | code`,
/// and slot `number` of a size lies at `number * bytes` of that size's file.
public final class SlotSizes {
  /// For the nodes of tries: a leaf or a node of two children; of 4; of 8; of 16.
  public static final SlotSizes TRIES = new SlotSizes(96, 160, 320, 640);

  /// For the nodes of state forests. Leaves of 20 to 40 entries have 1.6 to 3.2 KiB with keys of 32
  /// bytes, 3 to 6 KiB with keys of 100, and at most 14 KiB.
  public static final SlotSizes STATE = new SlotSizes(2 << 10, 3 << 10, 6 << 10, 16 << 10);

  /// No address is above it: addresses are stored in 48 bits.
  public static final long ADDRESS_MAX = (1L << 48) - 1;

  static final long NUMBER_MAX = (1L << 46) - 1;

  private static final int CODE_BITS = 2;

  /// Sizes of a store.
  public static final int COUNT = 1 << CODE_BITS;

  private final int[] bytes;

  private SlotSizes(int... bytes) {
    if (bytes.length != COUNT) {
      throw new AssertionError(bytes.length + " sizes, want " + COUNT);
    }
    this.bytes = bytes;
  }

  int count() {
    return COUNT;
  }

  int bytes(int code) {
    return bytes[code];
  }

  /// The most bytes that a slot holds.
  public int bytesMax() {
    return bytes[COUNT - 1];
  }

  /// The bytes of the slot of an address.
  public int bytesAt(long address) {
    return bytes[code(address)];
  }

  /// The code of the smallest size that holds so many bytes.
  int holding(int count) {
    for (int code = 0; code < COUNT; code++) {
      if (count <= bytes[code]) {
        return code;
      }
    }
    throw new IllegalArgumentException(
        String.format(Locale.ROOT, "%d bytes, at most %d", count, bytesMax()));
  }

  /// Which of the sizes the slot of an address has.
  public static int code(long address) {
    return (int) (address & (COUNT - 1));
  }

  /// Which of the slots of its size an address is of.
  public static long number(long address) {
    return address >>> CODE_BITS;
  }

  public static long address(int code, long number) {
    if (number > NUMBER_MAX) {
      throw new IllegalStateException("more than " + NUMBER_MAX + " slots of one size");
    }
    return (number << CODE_BITS) | code;
  }

  /// Position of a slot in its file.
  long offset(int code, long number) {
    return Math.multiplyExact(number, (long) bytes[code]);
  }

  @Override
  public String toString() {
    return Arrays.toString(bytes);
  }
}

package io.tallystick.storage.page;

/// The sizes of slots. An address is `number << 2 | code`, and slot `number` lies at `number *
/// bytes` of its class's file.
enum SlotClass {
  // A leaf or a node of two children; of 4; of 8; of 16.
  SMALL(0, 96),
  MEDIUM(1, 160),
  LARGE(2, 320),
  FULL(3, 640);

  private static final SlotClass[] ALL = values();
  private static final int CODE_BITS = 2;

  /// Addresses are stored in 48 bits.
  static final long NUMBER_MAX = (1L << 46) - 1;

  static final long ADDRESS_MAX = (1L << 48) - 1;

  private final int code;
  private final int bytes;

  SlotClass(int code, int bytes) {
    this.code = code;
    this.bytes = bytes;
  }

  int code() {
    return code;
  }

  int bytes() {
    return bytes;
  }

  /// The smallest that holds so many bytes.
  static SlotClass holding(int bytes) {
    for (SlotClass size : ALL) {
      if (bytes <= size.bytes) {
        return size;
      }
    }
    throw new IllegalArgumentException("%d bytes, at most %d".formatted(bytes, FULL.bytes));
  }

  static SlotClass of(long address) {
    return ALL[(int) (address & (ALL.length - 1))];
  }

  static long number(long address) {
    return address >>> CODE_BITS;
  }

  long address(long number) {
    if (number > NUMBER_MAX) {
      throw new IllegalStateException("more than " + NUMBER_MAX + " slots of " + bytes + " bytes");
    }
    return (number << CODE_BITS) | code;
  }

  /// Position of a slot in its file.
  long offset(long number) {
    return Math.multiplyExact(number, (long) bytes);
  }
}

package io.tallystick.gpu.ptx;

/// The bit operations of PTX that Java has no operator for.
final class Bits {
  private Bits() {}

  /// A mask of `bits` low bits; all of them from 64 on.
  static long low(long bits) {
    return bits >= 64 ? -1 : (1L << bits) - 1;
  }

  /// `shl`: a distance beyond the width clears all bits.
  static long shiftLeft(long value, long distance, int width) {
    return distance >= width ? 0 : value << distance;
  }

  /// `shr`: of a signed type, a distance beyond the width leaves the sign alone.
  static long shiftRight(long value, long distance, ScalarType type) {
    if (type.isSigned()) {
      return value >> Math.min(distance, type.bits() - 1);
    }
    return distance >= type.bits() ? 0 : value >>> distance;
  }

  /// `shf`: 32 bits of the 64-bit value `high:low`.
  static long funnel(long low, long high, int distance, boolean left) {
    long whole = high << 32 | low;
    return left ? whole << distance >>> 32 : whole >>> distance;
  }

  /// `lop3`: bit i of the table is the result for i = 4a + 2b + c.
  static long lookUp(long a, long b, long c, int table) {
    long result = 0;
    for (int i = 0; i < 8; i++) {
      if ((table >>> i & 1) != 0) {
        result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
      }
    }
    return result;
  }

  /// `prmt`: four bytes of `b:a`, each chosen by four bits; the highest bit repeats the byte's
  /// sign.
  static long permute(long a, long b, long selector) {
    long bytes = b << 32 | a;
    long result = 0;
    for (int i = 0; i < 4; i++) {
      int chosen = (int) (selector >>> (4 * i)) & 0xf;
      long value = (bytes >>> (8 * (chosen & 7))) & 0xff;
      if ((chosen & 8) != 0) {
        value = (value & 0x80) != 0 ? 0xff : 0;
      }
      result |= value << (8 * i);
    }
    return result;
  }

  /// `bfe`: `length` bits from `position` on. A signed field is filled up with its highest bit, or
  /// with the value's where the field goes beyond it.
  static long extract(long value, long position, long length, ScalarType type) {
    int at = (int) position & 0xff;
    int bits = (int) length & 0xff;
    if (bits == 0) {
      return 0;
    }
    long moved = shiftRight(value, at, type);
    if (!type.isSigned()) {
      return moved & low(bits);
    }
    int unused = 64 - Math.min(bits, type.bits());
    return moved << unused >> unused;
  }

  static long reverse(long value, int width) {
    return Long.reverse(value) >>> (64 - width);
  }

  static long leadingZeros(long value, int width) {
    return Long.numberOfLeadingZeros(value) - (64L - width);
  }

  /// The upper half of a product.
  static long multiplyHigh(long a, long b, ScalarType type) {
    if (type.bits() == 64) {
      return type.isSigned() ? Math.multiplyHigh(a, b) : Math.unsignedMultiplyHigh(a, b);
    }
    return type.isSigned() ? (a * b) >> type.bits() : (a * b) >>> type.bits();
  }
}

package io.tallystick.gpu.ptx;

import java.util.Locale;
import java.util.Optional;

/// A fundamental type of PTX (PTX ISA section 5.2), without the floating-point ones.
enum ScalarType {
  PRED(1, false),
  B8(8, false),
  B16(16, false),
  B32(32, false),
  B64(64, false),
  U8(8, false),
  U16(16, false),
  U32(32, false),
  U64(64, false),
  S8(8, true),
  S16(16, true),
  S32(32, true),
  S64(64, true);

  private final int bits;
  private final boolean signed;

  ScalarType(int bits, boolean signed) {
    this.bits = bits;
    this.signed = signed;
  }

  static Optional<ScalarType> named(String name) {
    for (ScalarType type : values()) {
      if (type.name().toLowerCase(Locale.ROOT).equals(name)) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  int bits() {
    return bits;
  }

  /// The size in memory; a predicate has none.
  int bytes() {
    return bits / 8;
  }

  boolean isSigned() {
    return signed;
  }

  /// The low bits of `raw` as this type's value: sign-extended for a signed type, else
  /// zero-extended.
  long of(long raw) {
    int unused = 64 - bits;
    return signed ? raw << unused >> unused : raw << unused >>> unused;
  }

  int compare(long left, long right) {
    return signed ? Long.compare(left, right) : Long.compareUnsigned(left, right);
  }

  /// The type of twice as many bits: what `mul.wide` yields.
  ScalarType wide() {
    return switch (this) {
      case U16 -> U32;
      case S16 -> S32;
      case U32 -> U64;
      case S32 -> S64;
      case PRED, B8, B16, B32, B64, U8, U64, S8, S64 ->
          throw new IllegalArgumentException("no wide product of " + this);
    };
  }
}

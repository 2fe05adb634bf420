package io.tallystick.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;

/// A 32-byte hash value, compared by content. Held as four longs, so that a digest is one object.
public final class Digest implements Comparable<Digest> {
  public static final int BYTES = 32;
  public static final Digest ZERO = new Digest(0, 0, 0, 0);

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final long a;
  private final long b;
  private final long c;
  private final long d;

  private Digest(long a, long b, long c, long d) {
    this.a = a;
    this.b = b;
    this.c = c;
    this.d = d;
  }

  /// @throws IllegalArgumentException unless `bytes` has exactly 32 bytes
  public static Digest of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(bytes.length + " bytes, want " + BYTES);
    }
    return of(bytes, 0);
  }

  /// Reads 32 bytes at `offset`.
  public static Digest of(byte[] bytes, int offset) {
    return new Digest(
        (long) LONG.get(bytes, offset),
        (long) LONG.get(bytes, offset + 8),
        (long) LONG.get(bytes, offset + 16),
        (long) LONG.get(bytes, offset + 24));
  }

  public static Digest of(Bytes bytes) {
    return of(bytes.unsafeArray());
  }

  public static Digest fromHex(String hex) {
    return of(HexFormat.of().parseHex(hex));
  }

  /// Bytes 0 to 7 as one big-endian number.
  public long firstWord() {
    return a;
  }

  /// Bytes 8 to 15 as one big-endian number.
  public long secondWord() {
    return b;
  }

  /// 64 bits that depend on all 32 bytes and on two odd keys: the place in a table whose entries
  /// clients choose.
  public long mixed(long firstKey, long secondKey) {
    long high =
        Math.unsignedMultiplyHigh(a ^ firstKey, b ^ secondKey) ^ (a ^ firstKey) * (b ^ secondKey);
    long low =
        Math.unsignedMultiplyHigh(c ^ secondKey, d ^ firstKey) ^ (c ^ secondKey) * (d ^ firstKey);
    return (high ^ Long.rotateLeft(low, 29)) * firstKey;
  }

  public byte[] toArray() {
    byte[] bytes = new byte[BYTES];
    copyInto(bytes, 0);
    return bytes;
  }

  public Bytes toBytes() {
    return Bytes.wrap(toArray());
  }

  /// Writes 32 bytes at `offset`.
  public void copyInto(byte[] target, int offset) {
    LONG.set(target, offset, a);
    LONG.set(target, offset + 8, b);
    LONG.set(target, offset + 16, c);
    LONG.set(target, offset + 24, d);
  }

  public String hex() {
    return HexFormat.of().formatHex(toArray());
  }

  /// Bytewise unsigned order.
  @Override
  public int compareTo(Digest other) {
    int order = Long.compareUnsigned(a, other.a);
    order = order != 0 ? order : Long.compareUnsigned(b, other.b);
    order = order != 0 ? order : Long.compareUnsigned(c, other.c);
    return order != 0 ? order : Long.compareUnsigned(d, other.d);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Digest that && a == that.a && b == that.b && c == that.c && d == that.d;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(a);
  }

  @Override
  public String toString() {
    return hex();
  }
}

package io.tallystick.model;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/// An immutable byte string: copied in, copied out, compared by content.
public final class Bytes implements Comparable<Bytes> {
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] value;

  private Bytes(byte[] value) {
    this.value = value;
  }

  public static Bytes copyOf(byte[] value) {
    return value.length == 0 ? EMPTY : new Bytes(value.clone());
  }

  public static Bytes copyOf(byte[] value, int offset, int length) {
    return length == 0 ? EMPTY : new Bytes(Arrays.copyOfRange(value, offset, offset + length));
  }

  /// Takes ownership of `value`: the caller must not write to it afterwards. For code that has just
  /// made the array and gives it away.
  public static Bytes wrap(byte[] value) {
    return value.length == 0 ? EMPTY : new Bytes(value);
  }

  /// @throws UnpairedSurrogateException if there is one
  public static Bytes utf8(String text) {
    return wrap(Utf8.encode(text));
  }

  public static Bytes fromHex(String hex) {
    return wrap(HexFormat.of().parseHex(hex));
  }

  public int size() {
    return value.length;
  }

  public boolean isEmpty() {
    return value.length == 0;
  }

  public byte[] toArray() {
    return value.clone();
  }

  /// The backing array itself, for readers in hot paths; it must not be written to.
  public byte[] unsafeArray() {
    return value;
  }

  public Bytes slice(int offset, int length) {
    return copyOf(value, offset, length);
  }

  public void copyInto(byte[] target, int targetOffset) {
    System.arraycopy(value, 0, target, targetOffset, value.length);
  }

  public void updateInto(MessageDigest digest) {
    digest.update(value);
  }

  public String hex() {
    return HexFormat.of().formatHex(value);
  }

  /// Bytewise unsigned order, shorter first among prefixes.
  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(value, other.value);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes that && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    return value.length <= 40
        ? hex()
        : String.format(Locale.ROOT, "%s… (%d bytes)", slice(0, 16).hex(), value.length);
  }
}

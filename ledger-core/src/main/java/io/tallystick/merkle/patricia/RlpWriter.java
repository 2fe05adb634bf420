package io.tallystick.merkle.patricia;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.Arrays;

/// Writes canonical RLP into a growing buffer. A list's head comes before its items, so the caller
/// says first how many bytes they take. Not thread-safe; reusable after {@link #reset}.
public final class RlpWriter {
  private static final int STRING = 0x80;
  private static final int LIST = 0xc0;
  private static final int SHORT_MAX = 55;

  private byte[] buffer;
  private int length;

  public RlpWriter(int capacity) {
    this.buffer = new byte[Math.max(capacity, 16)];
  }

  public RlpWriter reset() {
    length = 0;
    return this;
  }

  public int length() {
    return length;
  }

  /// The live buffer, valid up to {@link #length} and until the next write; for hashing in place.
  public byte[] buffer() {
    return buffer;
  }

  public Bytes toBytes() {
    return Bytes.wrap(Arrays.copyOf(buffer, length));
  }

  /// How many bytes a string takes, its head included.
  public static int stringBytes(byte[] value) {
    return value.length == 1 && value[0] >= 0 ? 1 : withHead(value.length);
  }

  /// How many bytes a number takes.
  public static int uintBytes(long value) {
    return value < STRING ? 1 : 1 + significantBytes(value);
  }

  /// How many bytes a list takes whose items take `itemsBytes`.
  public static int listBytes(int itemsBytes) {
    return withHead(itemsBytes);
  }

  /// The head of a list whose items, which follow, take `itemsBytes`.
  public RlpWriter list(int itemsBytes) {
    head(LIST, itemsBytes);
    return this;
  }

  public RlpWriter string(Bytes value) {
    return string(value.unsafeArray());
  }

  public RlpWriter string(byte[] value) {
    if (value.length != 1 || value[0] < 0) {
      head(STRING, value.length);
    }
    ensure(value.length);
    System.arraycopy(value, 0, buffer, length, value.length);
    length += value.length;
    return this;
  }

  public RlpWriter digest(Digest value) {
    head(STRING, Digest.BYTES);
    ensure(Digest.BYTES);
    value.copyInto(buffer, length);
    length += Digest.BYTES;
    return this;
  }

  /// @param value 0 to 2⁶³−1
  public RlpWriter uint(long value) {
    if (value < 0) {
      throw new IllegalArgumentException(value + " is not unsigned");
    }
    if (value > 0 && value < STRING) {
      one((int) value);
    } else {
      int width = significantBytes(value);
      head(STRING, width);
      bigEndian(value, width);
    }
    return this;
  }

  private static int withHead(int bytes) {
    return bytes + (bytes <= SHORT_MAX ? 1 : 1 + significantBytes(bytes));
  }

  /// How many bytes a number has without leading zeros; 0 has none.
  private static int significantBytes(long value) {
    return (Long.SIZE - Long.numberOfLeadingZeros(value) + 7) / 8;
  }

  private void head(int base, int bytes) {
    if (bytes <= SHORT_MAX) {
      one(base + bytes);
    } else {
      int width = significantBytes(bytes);
      one(base + SHORT_MAX + width);
      bigEndian(bytes, width);
    }
  }

  private void bigEndian(long value, int width) {
    ensure(width);
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
      buffer[length++] = (byte) (value >>> shift);
    }
  }

  private void one(int value) {
    ensure(1);
    buffer[length++] = (byte) value;
  }

  private void ensure(int more) {
    int needed = Math.addExact(length, more);
    if (needed > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(needed, buffer.length * 2));
    }
  }
}

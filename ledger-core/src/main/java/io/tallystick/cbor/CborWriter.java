package io.tallystick.cbor;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.UnpairedSurrogateException;
import io.tallystick.model.Utf8;
import java.util.Arrays;

/// Writes deterministic CBOR into a growing buffer. The caller writes containers' items itself, in
/// order; maps must be written with keys in bytewise order of their encodings. Not thread-safe;
/// reusable after {@link #reset}.
public final class CborWriter {
  static final int UINT = 0;
  static final int NEGATIVE = 1;
  static final int BYTE_STRING = 2;
  static final int TEXT = 3;
  static final int ARRAY = 4;
  static final int MAP = 5;
  static final int TAG = 6;
  static final int NIL = 0xf6;
  static final int FALSE = 0xf4;
  static final int TRUE = 0xf5;

  private byte[] buffer;
  private int length;

  public CborWriter() {
    this(256);
  }

  public CborWriter(int capacity) {
    this.buffer = new byte[Math.max(capacity, 16)];
  }

  public CborWriter reset() {
    length = 0;
    return this;
  }

  public int length() {
    return length;
  }

  public byte[] toArray() {
    return Arrays.copyOf(buffer, length);
  }

  public Bytes toBytes() {
    return Bytes.wrap(toArray());
  }

  /// The bytes that were written, as an array of its own: the buffer itself if it is exactly full.
  /// The writer is spent afterwards.
  public Bytes finish() {
    return Bytes.wrap(length == buffer.length ? buffer : toArray());
  }

  /// How many bytes the head of a number, or of a string or array of that length, takes.
  public static int headBytes(long value) {
    if (value < 24) {
      return 1;
    }
    if (value <= 0xff) {
      return 2;
    }
    return value <= 0xffff ? 3 : value <= 0xffff_ffffL ? 5 : 9;
  }

  /// The live buffer, valid up to {@link #length} and until the next write; for hashing in place.
  public byte[] buffer() {
    return buffer;
  }

  /// @param value 0 to 2⁶³−1
  public CborWriter uint(long value) {
    if (value < 0) {
      throw new IllegalArgumentException(value + " is not unsigned");
    }
    head(UINT, value);
    return this;
  }

  /// An integer of either sign.
  public CborWriter integer(long value) {
    if (value >= 0) {
      head(UINT, value);
    } else {
      head(NEGATIVE, ~value);
    }
    return this;
  }

  public CborWriter bytes(byte[] value) {
    return bytes(value, 0, value.length);
  }

  public CborWriter bytes(byte[] value, int offset, int count) {
    head(BYTE_STRING, count);
    return raw(value, offset, count);
  }

  public CborWriter bytes(Bytes value) {
    return bytes(value.unsafeArray());
  }

  /// The head of a byte string whose bytes are written elsewhere.
  public CborWriter bytesHead(int count) {
    head(BYTE_STRING, count);
    return this;
  }

  public CborWriter digest(Digest value) {
    head(BYTE_STRING, Digest.BYTES);
    ensure(Digest.BYTES);
    value.copyInto(buffer, length);
    length += Digest.BYTES;
    return this;
  }

  /// @throws UnpairedSurrogateException if there is one
  public CborWriter text(String value) {
    byte[] utf8 = Utf8.encode(value);
    head(TEXT, utf8.length);
    return raw(utf8, 0, utf8.length);
  }

  public CborWriter array(int count) {
    head(ARRAY, count);
    return this;
  }

  public CborWriter map(int count) {
    head(MAP, count);
    return this;
  }

  public CborWriter tag(int tag) {
    head(TAG, tag);
    return this;
  }

  public CborWriter nil() {
    return one(NIL);
  }

  public CborWriter bool(boolean value) {
    return one(value ? TRUE : FALSE);
  }

  /// Copies bytes that are already CBOR.
  public CborWriter raw(byte[] encoded, int offset, int count) {
    ensure(count);
    System.arraycopy(encoded, offset, buffer, length, count);
    length += count;
    return this;
  }

  public CborWriter raw(Bytes encoded) {
    return raw(encoded.unsafeArray(), 0, encoded.size());
  }

  private CborWriter one(int value) {
    ensure(1);
    buffer[length++] = (byte) value;
    return this;
  }

  private void head(int major, long value) {
    ensure(headBytes(value));
    int top = major << 5;
    if (value < 24) {
      buffer[length++] = (byte) (top | (int) value);
    } else if (value <= 0xff) {
      buffer[length++] = (byte) (top | 24);
      bigEndian(value, 1);
    } else if (value <= 0xffff) {
      buffer[length++] = (byte) (top | 25);
      bigEndian(value, 2);
    } else if (value <= 0xffff_ffffL) {
      buffer[length++] = (byte) (top | 26);
      bigEndian(value, 4);
    } else {
      buffer[length++] = (byte) (top | 27);
      bigEndian(value, 8);
    }
  }

  private void bigEndian(long value, int width) {
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
      buffer[length++] = (byte) (value >>> shift);
    }
  }

  private void ensure(int more) {
    int needed = Math.addExact(length, more);
    if (needed > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(needed, buffer.length * 2));
    }
  }
}

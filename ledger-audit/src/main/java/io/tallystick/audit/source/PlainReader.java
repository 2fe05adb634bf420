package io.tallystick.audit.source;

import io.tallystick.model.Digest;
import java.util.Arrays;

/// Reads the deterministic CBOR of a plain journal in place, as {@link
/// io.tallystick.cbor.CborReader} does, but answers {@link #BAD} instead of saying what is wrong.
/// Not thread-safe.
public final class PlainReader {
  public static final int BAD = -1;

  private static final int ONE_BYTE = 24;
  private static final int EIGHT_BYTES = 27;
  private static final int BYTE_STRING = 0x40;
  private static final int TEXT = 0x60;
  private static final int ARRAY = 0x80;
  private static final int SHORT_DIGEST_HEAD = 0x58;
  private static final int MAJOR = 0xe0;

  private byte[] bytes = new byte[0];
  private int at;
  private int end;

  public void set(byte[] array, int from, int to) {
    bytes = array;
    at = from;
    end = to;
  }

  public int position() {
    return at;
  }

  public boolean atEnd() {
    return at == end;
  }

  /// Steps over one exact byte.
  public boolean literal(int want) {
    if (at >= end || bytes[at] != (byte) want) {
      return false;
    }
    at++;
    return true;
  }

  /// Steps over these exact bytes.
  public boolean literal(byte[] want) {
    if (end - at < want.length
        || !Arrays.equals(bytes, at, at + want.length, want, 0, want.length)) {
      return false;
    }
    at += want.length;
    return true;
  }

  /// A number in its shortest form, up to 2⁶³−1.
  public long uint() {
    return head(0);
  }

  /// Steps over a byte string of at most `max` bytes.
  ///
  /// @return its length
  public int byteString(int max) {
    return string(BYTE_STRING, max);
  }

  /// Steps over a text of at most `max` bytes, all of them ASCII; other texts are for a decoder to
  /// judge.
  ///
  /// @return its length
  public int asciiText(int max) {
    int length = string(TEXT, max);
    for (int i = at - Math.max(length, 0); i < at; i++) {
      if (bytes[i] < 0) {
        return BAD;
      }
    }
    return length;
  }

  /// The head of an array of at most `max` items.
  ///
  /// @return how many it has
  public int array(int max) {
    long count = head(ARRAY);
    return count > max ? BAD : (int) count;
  }

  private int string(int major, int max) {
    long length = head(major);
    if (length < 0 || length > max || length > end - at) {
      return BAD;
    }
    at += (int) length;
    return (int) length;
  }

  /// Steps over a hash.
  ///
  /// @return where it stands
  public int digest() {
    if (end - at < 2 + Digest.BYTES
        || bytes[at] != SHORT_DIGEST_HEAD
        || bytes[at + 1] != Digest.BYTES) {
      return BAD;
    }
    int found = at + 2;
    at = found + Digest.BYTES;
    return found;
  }

  private long head(int major) {
    if (at >= end || (bytes[at] & MAJOR) != major) {
      return BAD;
    }
    int info = bytes[at] & ~MAJOR & 0xff;
    at++;
    if (info < ONE_BYTE) {
      return info;
    }
    int width = 1 << (info - ONE_BYTE);
    if (info > EIGHT_BYTES || width > end - at) {
      return BAD;
    }
    long value = 0;
    for (int i = 0; i < width; i++) {
      value = value << 8 | (bytes[at + i] & 0xff);
    }
    at += width;
    long smallest = width == 1 ? ONE_BYTE : 1L << (4 * width);
    return value < smallest ? BAD : value;
  }
}

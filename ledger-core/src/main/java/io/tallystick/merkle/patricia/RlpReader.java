package io.tallystick.merkle.patricia;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;

/// Reads canonical RLP (Ethereum Yellow Paper, appendix B) and refuses every other encoding: a
/// length in its shortest form, a byte below 0x80 as itself, numbers without leading zeros. It
/// never reads past its range and allocates nothing but what it answers. Not thread-safe.
public final class RlpReader {
  private static final int STRING = 0x80;
  private static final int LONG_STRING = 0xb8;
  private static final int LIST = 0xc0;
  private static final int LONG_LIST = 0xf8;

  /// The longest length in one byte.
  private static final int SHORT_MAX = 55;

  /// The widest length read; a longer input has no array.
  private static final int LENGTH_BYTES_MAX = 4;

  private final byte[] input;
  private final int end;
  private int position;

  public RlpReader(Bytes input) {
    this(input.unsafeArray(), 0, input.size());
  }

  public RlpReader(byte[] input, int offset, int length) {
    this.input = input;
    this.position = offset;
    this.end = offset + length;
  }

  public int position() {
    return position;
  }

  /// @throws MalformedException if bytes are left over
  public void end() throws MalformedException {
    if (position != end) {
      throw new MalformedException((end - position) + " bytes left over at " + position);
    }
  }

  public boolean hasNext() {
    return position < end;
  }

  /// Whether the next item is a list.
  public boolean atList() throws MalformedException {
    return next("item") >= LIST;
  }

  /// Steps over a list.
  ///
  /// @return a reader of its items
  public RlpReader list() throws MalformedException {
    int first = next("list");
    if (first < LIST) {
      throw new MalformedException("list expected at " + position + ", found a string");
    }
    int length = length(first, LIST, LONG_LIST);
    RlpReader items = new RlpReader(input, position, length);
    position += length;
    return items;
  }

  /// Steps over a string and answers its length; its content is the bytes before the new {@link
  /// #position}.
  public int skipString() throws MalformedException {
    int first = next("string");
    if (first >= LIST) {
      throw new MalformedException("string expected at " + position + ", found a list");
    }
    if (first < STRING) {
      position++;
      return 1;
    }
    int start = position;
    int length = length(first, STRING, LONG_STRING);
    if (length == 1 && input[position] >= 0) {
      throw new MalformedException("byte at " + start + " is not written as itself");
    }
    position += length;
    return length;
  }

  /// A string of at most `maxBytes`.
  public Bytes string(String name, int maxBytes) throws MalformedException {
    int length = skipString();
    if (length > maxBytes) {
      throw new MalformedException(name + " has " + length + " bytes, at most " + maxBytes);
    }
    return Bytes.copyOf(input, position - length, length);
  }

  public Digest digest() throws MalformedException {
    int length = skipString();
    if (length != Digest.BYTES) {
      throw new MalformedException("hash of " + length + " bytes, want " + Digest.BYTES);
    }
    return Digest.of(input, position - length);
  }

  /// A number, big-endian without leading zeros, 0 as the empty string.
  ///
  /// @throws MalformedException if it is above `max`
  public long uint(String name, long max) throws MalformedException {
    int length = skipString();
    if (length > Long.BYTES) {
      throw new MalformedException(name + " has " + length + " bytes, at most " + Long.BYTES);
    }
    int start = position - length;
    if (length > 0 && input[start] == 0) {
      throw new MalformedException(name + " begins with a zero");
    }
    long value = bigEndian(start, length);
    if (value < 0 || value > max) {
      throw new MalformedException(
          name + " is " + Long.toUnsignedString(value) + ", at most " + max);
    }
    return value;
  }

  /// Reads a head whose first byte is `first`.
  ///
  /// @return the length of the content, all of which is there
  private int length(int first, int shortBase, int longBase) throws MalformedException {
    int start = position++;
    if (first < longBase) {
      return checked(first - shortBase, start);
    }
    int width = first - longBase + 1;
    if (width > LENGTH_BYTES_MAX || width > end - position) {
      throw new MalformedException("length of " + width + " bytes at " + start);
    }
    long length = bigEndian(position, width);
    if (input[position] == 0 || length <= SHORT_MAX) {
      throw new MalformedException("length at " + start + " is not the shortest");
    }
    position += width;
    return checked(length, start);
  }

  private int checked(long length, int start) throws MalformedException {
    if (length > end - position) {
      throw new MalformedException(
          length + " bytes at " + start + ", only " + (end - position) + " left");
    }
    return (int) length;
  }

  private long bigEndian(int from, int width) {
    long value = 0;
    for (int i = from; i < from + width; i++) {
      value = value << 8 | (input[i] & 0xff);
    }
    return value;
  }

  private int next(String what) throws MalformedException {
    if (position >= end) {
      throw new MalformedException("truncated: " + what + " expected at " + position);
    }
    return input[position] & 0xff;
  }
}

package io.tallystick.cbor;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/// Reads deterministic CBOR and refuses every other encoding: heads in their shortest form,
/// definite lengths only, no floats. It never reads past its range and allocates only what the
/// input really holds. Numbers above 2⁶³−1 are refused. Not thread-safe.
public final class CborReader {
  private final byte[] input;
  private final int end;
  private int position;

  public CborReader(byte[] input) {
    this(input, 0, input.length);
  }

  public CborReader(byte[] input, int offset, int length) {
    this.input = input;
    this.position = offset;
    this.end = offset + length;
  }

  public CborReader(Bytes input) {
    this(input.unsafeArray());
  }

  public int position() {
    return position;
  }

  public int remaining() {
    return end - position;
  }

  /// @throws MalformedException if bytes are left over
  public void end() throws MalformedException {
    if (position != end) {
      throw new MalformedException((end - position) + " bytes left over at " + position);
    }
  }

  public long uint() throws MalformedException {
    return head(CborWriter.UINT, "unsigned integer");
  }

  /// A uint of at most `max`.
  public long uint(String name, long max) throws MalformedException {
    long value = uint();
    if (value > max) {
      throw new MalformedException(name + " is " + value + ", at most " + max);
    }
    return value;
  }

  /// An integer of either sign.
  public long integer() throws MalformedException {
    if (major() == CborWriter.NEGATIVE) {
      return ~head(CborWriter.NEGATIVE, "integer");
    }
    return head(CborWriter.UINT, "integer");
  }

  public byte[] bytes() throws MalformedException {
    int count = stringLength(CborWriter.BYTE_STRING, "byte string");
    byte[] value = Arrays.copyOfRange(input, position, position + count);
    position += count;
    return value;
  }

  /// A byte string of at most `maxBytes`.
  public byte[] bytes(String name, int maxBytes) throws MalformedException {
    byte[] value = bytes();
    if (value.length > maxBytes) {
      throw new MalformedException(name + " has " + value.length + " bytes, at most " + maxBytes);
    }
    return value;
  }

  /// Steps over a byte string and answers its length; its content is the bytes before the new
  /// {@link #position}.
  public int skipBytes() throws MalformedException {
    int count = stringLength(CborWriter.BYTE_STRING, "byte string");
    position += count;
    return count;
  }

  public Digest digest() throws MalformedException {
    int count = stringLength(CborWriter.BYTE_STRING, "byte string");
    if (count != Digest.BYTES) {
      throw new MalformedException("hash of " + count + " bytes, want " + Digest.BYTES);
    }
    Digest value = Digest.of(input, position);
    position += count;
    return value;
  }

  /// Steps over text that need not be UTF-8 and answers its bytes.
  public int skipText() throws MalformedException {
    int count = stringLength(CborWriter.TEXT, "text");
    position += count;
    return count;
  }

  /// Text that must be valid UTF-8.
  public String text() throws MalformedException {
    int count = stringLength(CborWriter.TEXT, "text");
    String value = isAscii(position, count) ? ascii(position, count) : utf8(position, count);
    position += count;
    return value;
  }

  private boolean isAscii(int from, int count) {
    int all = 0;
    for (int i = from; i < from + count; i++) {
      all |= input[i];
    }
    return all >= 0;
  }

  // Nearly every text here: it needs no decoder, which costs more than the rest of a header.
  private String ascii(int from, int count) {
    return new String(input, from, count, StandardCharsets.ISO_8859_1);
  }

  private String utf8(int from, int count) throws MalformedException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(input, from, count))
          .toString();
    } catch (CharacterCodingException e) {
      throw new MalformedException("text at " + position + " is not UTF-8", e);
    }
  }

  /// @return the number of items, each of which takes at least one of the remaining bytes
  public int array() throws MalformedException {
    return count(CborWriter.ARRAY, "array", 1);
  }

  /// An array of exactly `want` items.
  public void array(String name, int want) throws MalformedException {
    int count = array();
    if (count != want) {
      throw new MalformedException(name + " has " + count + " items, want " + want);
    }
  }

  /// An array of at most `max` items.
  public int arrayAtMost(String name, int max) throws MalformedException {
    int count = array();
    if (count > max) {
      throw new MalformedException(name + " has " + count + " items, at most " + max);
    }
    return count;
  }

  /// @return the number of pairs; the caller checks that keys ascend
  public int map() throws MalformedException {
    return count(CborWriter.MAP, "map", 2);
  }

  public void map(String name, int want) throws MalformedException {
    int count = map();
    if (count != want) {
      throw new MalformedException(name + " has " + count + " pairs, want " + want);
    }
  }

  public void tag(int want) throws MalformedException {
    long tag = head(CborWriter.TAG, "tag");
    if (tag != want) {
      throw new MalformedException("tag " + tag + ", want " + want);
    }
  }

  public boolean bool() throws MalformedException {
    int next = next("flag");
    if (next != CborWriter.TRUE && next != CborWriter.FALSE) {
      throw unexpected("flag", next);
    }
    position++;
    return next == CborWriter.TRUE;
  }

  /// Steps over nil if it is next.
  public boolean nil() throws MalformedException {
    if (next("item") != CborWriter.NIL) {
      return false;
    }
    position++;
    return true;
  }

  /// The exact key of the next pair of a map with fixed keys.
  public void key(long want) throws MalformedException {
    long key = integer();
    if (key != want) {
      throw new MalformedException("label " + key + ", want " + want);
    }
  }

  /// The CBOR major type of the next item, 0 to 7.
  public int major() throws MalformedException {
    return next("item") >>> 5;
  }

  private int stringLength(int major, String what) throws MalformedException {
    long count = head(major, what);
    if (count > end - position) {
      throw new MalformedException(
          what + " of " + count + " bytes, only " + (end - position) + " left");
    }
    return (int) count;
  }

  private int count(int major, String what, int bytesPerItem) throws MalformedException {
    long count = head(major, what);
    if (count > (end - position) / bytesPerItem) {
      throw new MalformedException(
          what + " of " + count + " items, only " + (end - position) + " bytes left");
    }
    return (int) count;
  }

  private int next(String what) throws MalformedException {
    if (position >= end) {
      throw new MalformedException("truncated: " + what + " expected at " + position);
    }
    return input[position] & 0xff;
  }

  private long head(int major, String what) throws MalformedException {
    int first = next(what);
    if (first >>> 5 != major) {
      throw unexpected(what, first);
    }
    position++;
    int info = first & 0x1f;
    if (info < 24) {
      return info;
    }
    if (info > 27) {
      throw new MalformedException("indefinite or reserved length at " + (position - 1));
    }
    return argument(1 << (info - 24), what);
  }

  private long argument(int width, String what) throws MalformedException {
    if (width > end - position) {
      throw new MalformedException("truncated: head of " + what + " at " + position);
    }
    long value = 0;
    for (int i = 0; i < width; i++) {
      value = value << 8 | (input[position + i] & 0xff);
    }
    if (value < 0) {
      throw new MalformedException("number above 2^63-1 at " + position);
    }
    long smallest = width == 1 ? 24 : 1L << (4 * width);
    if (value < smallest) {
      throw new MalformedException("head of " + what + " at " + position + " is not the shortest");
    }
    position += width;
    return value;
  }

  private MalformedException unexpected(String what, int first) {
    return new MalformedException(
        String.format(
            Locale.ROOT, "%s expected at %d, found major type %d", what, position, first >>> 5));
  }
}

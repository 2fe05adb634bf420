package io.tallystick.audit.replay;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// An encoded entry of the state where it stands in an array: `[4, key, present, valueCommit or
/// nil, valueSize, jsn]`. Set to one entry after the other; not thread-safe. Source:
/// `docs/formats/forest.md`.
final class StateEntryView {
  /// No entry is longer: a key of 256 bytes takes 259 of them.
  static final int BYTES_MAX = 320;

  private static final int TYPE = 4;
  private static final int ITEMS = 6;
  private static final int KEY_BYTES_MAX = 256;

  // An entry begins with the head of the array and its type. The head of the key follows: 0x40 and
  // the key's length, or 0x58 and the length in one byte, or 0x59 and the length in two.
  private static final int KEY_HEAD = 2;
  private static final int BYTE_STRING = 0x40;
  private static final int ONE_BYTE_LENGTH = 0x58;

  private byte[] bytes = new byte[0];
  private int start;
  private int keyAt;
  private int keyEnd;
  private int commitAt;
  private long jsn;
  private int end;

  /// @param valueCommit null for a deletion
  static byte[] encode(Bytes key, @Nullable Digest valueCommit, int valueSizeBytes, long jsn) {
    CborWriter out = new CborWriter(key.size() + 64);
    out.array(ITEMS).uint(TYPE).bytes(key).bool(valueCommit != null);
    if (valueCommit == null) {
      out.nil().uint(0);
    } else {
      out.digest(valueCommit).uint(valueSizeBytes);
    }
    return out.uint(jsn).toArray();
  }

  /// @param limit behind the last byte that may be read
  /// @throws MalformedException if no entry begins there
  void read(byte[] array, int at, int limit) throws MalformedException {
    CborReader in = new CborReader(array, at, limit - at);
    bytes = array;
    start = at;
    in.array("entry", ITEMS);
    if (in.uint() != TYPE) {
      throw new MalformedException("no entry at " + at);
    }
    int length = in.skipBytes();
    keyEnd = in.position();
    keyAt = keyEnd - length;
    if (length < 1 || length > KEY_BYTES_MAX) {
      throw new MalformedException("key of " + length + " bytes");
    }
    boolean present = in.bool();
    commitAt = -1;
    if (present) {
      if (in.skipBytes() != Digest.BYTES) {
        throw new MalformedException("commitment that is no hash");
      }
      commitAt = in.position() - Digest.BYTES;
    } else if (!in.nil()) {
      throw new MalformedException("a deletion with a commitment");
    }
    long size = in.uint();
    if (!present && size != 0) {
      throw new MalformedException("a deletion of " + size + " bytes");
    }
    jsn = in.uint();
    end = in.position();
  }

  /// The same of bytes that were made or checked here.
  StateEntryView set(byte[] array, int at) {
    try {
      read(array, at, array.length);
      return this;
    } catch (MalformedException e) {
      throw new AssertionError("an entry that was read before", e);
    }
  }

  /// Where the key of an entry begins that was made or checked here.
  static int keyAt(byte[] array, int start) {
    int head = start + KEY_HEAD;
    return head + 1 + Math.max(0, (array[head] & 0xff) - ONE_BYTE_LENGTH + 1);
  }

  /// The length of the key of an entry that was made or checked here.
  static int keyLength(byte[] array, int start) {
    int head = start + KEY_HEAD;
    int first = array[head] & 0xff;
    if (first < ONE_BYTE_LENGTH) {
      return first - BYTE_STRING;
    }
    int length = array[head + 1] & 0xff;
    return first == ONE_BYTE_LENGTH ? length : length << Byte.SIZE | (array[head + 2] & 0xff);
  }

  byte[] bytes() {
    return bytes;
  }

  int start() {
    return start;
  }

  /// Behind the entry.
  int end() {
    return end;
  }

  int keyAt() {
    return keyAt;
  }

  int keyLength() {
    return keyEnd - keyAt;
  }

  Bytes key() {
    return Bytes.copyOf(bytes, keyAt, keyLength());
  }

  boolean present() {
    return commitAt >= 0;
  }

  /// Null for a deletion.
  @Nullable Digest valueCommit() {
    return commitAt < 0 ? null : Digest.of(bytes, commitAt);
  }

  long jsn() {
    return jsn;
  }

  byte[] encoded() {
    return Arrays.copyOfRange(bytes, start, end);
  }

  /// Its key against another, as strings of unsigned bytes.
  int compareKey(byte[] other) {
    return Arrays.compareUnsigned(bytes, keyAt, keyEnd, other, 0, other.length);
  }
}

package io.tallystick.storage.array;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Keys of an array's rows in the meta store: `"array/" ‖ ledgerId (32) ‖ strand (u32) ‖ length of
/// name (1) ‖ name ‖ 0` for the head, `… ‖ 1 ‖ chunk number (u64)` for a chunk.
final class ArrayKeys {
  private static final byte[] PREFIX = "array/".getBytes(StandardCharsets.US_ASCII);
  private static final byte HEAD = 0;
  private static final byte CHUNK = 1;

  private final byte[] stem;

  ArrayKeys(ArrayId id) {
    byte[] name = id.name().getBytes(StandardCharsets.US_ASCII);
    stem = new byte[PREFIX.length + Digest.BYTES + Integer.BYTES + 1 + name.length];
    ByteBuffer.wrap(stem)
        .put(PREFIX)
        .put(id.strand().ledger().digest().toArray())
        .putInt(id.strand().strand())
        .put((byte) name.length)
        .put(name);
  }

  /// The name of the array whose row has this key; empty if it is another kind of row's.
  static String nameIn(Bytes key) {
    byte[] bytes = key.toArray();
    int lengthAt = PREFIX.length + Digest.BYTES + Integer.BYTES;
    if (bytes.length <= lengthAt
        || Arrays.mismatch(bytes, 0, PREFIX.length, PREFIX, 0, PREFIX.length) >= 0
        || bytes.length <= lengthAt + bytes[lengthAt]) {
      return "";
    }
    return new String(bytes, lengthAt + 1, bytes[lengthAt], StandardCharsets.US_ASCII);
  }

  /// The prefix of the keys of all rows of the array, and of no other's: the name's length is in
  /// it.
  Bytes all() {
    return Bytes.copyOf(stem);
  }

  Bytes head() {
    return Bytes.wrap(ByteBuffer.allocate(stem.length + 1).put(stem).put(HEAD).array());
  }

  Bytes chunk(long number) {
    return Bytes.wrap(
        ByteBuffer.allocate(stem.length + 1 + Long.BYTES)
            .put(stem)
            .put(CHUNK)
            .putLong(number)
            .array());
  }
}

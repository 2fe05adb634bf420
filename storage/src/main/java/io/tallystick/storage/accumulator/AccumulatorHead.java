package io.tallystick.storage.accumulator;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// The row that says what the last savepoint held, so that a restore is checked against it:
/// `version (1) ‖ size (u64) ‖ root (32)` under the key `"accumulator/" ‖ ledgerId (32) ‖ strand
/// (u32)`.
record AccumulatorHead(long size, Digest root) {
  private static final byte VERSION = 1;
  private static final int BYTES = 1 + Long.BYTES + Digest.BYTES;
  private static final byte[] KEY_PREFIX = "accumulator/".getBytes(StandardCharsets.US_ASCII);

  static Bytes key(StrandId strand) {
    return Bytes.wrap(
        ByteBuffer.allocate(KEY_PREFIX.length + Digest.BYTES + Integer.BYTES)
            .put(KEY_PREFIX)
            .put(strand.ledger().digest().toArray())
            .putInt(strand.strand())
            .array());
  }

  Bytes encode() {
    return Bytes.wrap(
        ByteBuffer.allocate(BYTES).put(VERSION).putLong(size).put(root.toArray()).array());
  }

  static AccumulatorHead decode(StrandId strand, Bytes value) throws CorruptStreamException {
    if (value.size() != BYTES) {
      throw corrupt(strand, 0, value.size() + " bytes, want " + BYTES);
    }
    ByteBuffer buffer = ByteBuffer.wrap(value.unsafeArray());
    byte version = buffer.get();
    if (version != VERSION) {
      String age = version > VERSION ? "too new" : "too old";
      throw corrupt(strand, 0, "format version %d is %s".formatted(version, age));
    }
    AccumulatorHead head =
        new AccumulatorHead(buffer.getLong(), Digest.of(value.unsafeArray(), BYTES - Digest.BYTES));
    if (head.size < 0) {
      throw corrupt(strand, 1, "size " + head.size);
    }
    return head;
  }

  static CorruptStreamException corrupt(StrandId strand, long offset, String message) {
    return new CorruptStreamException("accumulator head " + strand, offset, message);
  }
}

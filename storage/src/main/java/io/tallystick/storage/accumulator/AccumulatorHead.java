package io.tallystick.storage.accumulator;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The row that says what the last savepoint held: all that appending and the root need. `version
/// (1) ‖ size (u64) ‖ root (32) ‖ nodes of the frontier (32 each, lowest level first)` under the
/// key `"accumulator/" ‖ ledgerId (32) ‖ strand (u32)`.
final class AccumulatorHead {
  private static final byte VERSION = 2;
  private static final int ROOT_AT = 1 + Long.BYTES;
  private static final int NODES_AT = ROOT_AT + Digest.BYTES;
  private static final byte[] KEY_PREFIX = "accumulator/".getBytes(StandardCharsets.US_ASCII);

  private AccumulatorHead() {}

  static Bytes key(StrandId strand) {
    return Bytes.wrap(
        ByteBuffer.allocate(KEY_PREFIX.length + Digest.BYTES + Integer.BYTES)
            .put(KEY_PREFIX)
            .put(strand.ledger().digest().toArray())
            .putInt(strand.strand())
            .array());
  }

  static Bytes encode(Frontier frontier) {
    ByteBuffer row = ByteBuffer.allocate(bytes(frontier.size()));
    row.put(VERSION).putLong(frontier.size()).put(frontier.root().toArray());
    for (int level = 0; row.hasRemaining(); level++) {
      Digest node = frontier.at(level);
      if (node != null) {
        row.put(node.toArray());
      }
    }
    return Bytes.wrap(row.array());
  }

  /// @throws CorruptStreamException unless the nodes yield the root
  static Frontier decode(StrandId strand, Bytes value) throws CorruptStreamException {
    byte[] row = value.unsafeArray();
    if (row.length < NODES_AT) {
      throw corrupt(strand, 0, row.length + " bytes, want at least " + NODES_AT);
    }
    if (row[0] != VERSION) {
      String age = row[0] > VERSION ? "too new" : "too old";
      throw corrupt(strand, 0, String.format(Locale.ROOT, "format version %d is %s", row[0], age));
    }
    long size = ByteBuffer.wrap(row).getLong(1);
    if (size < 0) {
      throw corrupt(strand, 1, "size " + size);
    }
    if (row.length != bytes(size)) {
      throw corrupt(
          strand,
          0,
          String.format(
              Locale.ROOT, "%d bytes, want %d for size %d", row.length, bytes(size), size));
    }
    Frontier frontier = new Frontier(size, nodes(row, size));
    Digest root = Digest.of(row, ROOT_AT);
    if (!frontier.root().equals(root)) {
      throw corrupt(
          strand,
          ROOT_AT,
          String.format(Locale.ROOT, "nodes yield root %s, want %s", frontier.root(), root));
    }
    return frontier;
  }

  private static @Nullable Digest[] nodes(byte[] row, long size) {
    @Nullable Digest[] nodes = new @Nullable Digest[Long.SIZE - Long.numberOfLeadingZeros(size)];
    int at = NODES_AT;
    for (int level = 0; level < nodes.length; level++) {
      if ((size >> level & 1) == 1) {
        nodes[level] = Digest.of(row, at);
        at += Digest.BYTES;
      }
    }
    return nodes;
  }

  private static int bytes(long size) {
    return NODES_AT + Long.bitCount(size) * Digest.BYTES;
  }

  private static CorruptStreamException corrupt(StrandId strand, long offset, String message) {
    return new CorruptStreamException("accumulator head " + strand, offset, message);
  }
}

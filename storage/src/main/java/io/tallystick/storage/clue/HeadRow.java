package io.tallystick.storage.clue;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32C;

/// The row that says what a clue's list and tree were at the last savepoint.
///
/// ```
///  0         1       9            17                     17 + 16 t
///  +---------+-------+------------+----------------------+---------------------------+--------+
///  | version | count | deletedJsn | t spine entries,     | frontier: a hash per bit  | crc32c |
///  |   = 1   |  u64  |    u64     | oldest first: cell   | of count, lowest bit      |  u32   |
///  |         |       |            | u64, jsn u64         | first                     |        |
///  +---------+-------+------------+----------------------+---------------------------+--------+
/// ```
///
/// t, the number of the list's trees, follows from count ({@link SkipGeometry}). The checksum
/// covers the clueId and all before it: the next root of the clue is made of the frontier, and
/// nothing else would notice damage there before a block is sealed with it.
final class HeadRow {
  private static final byte VERSION = 1;
  private static final int COUNT_AT = 1;
  private static final int DELETED_AT = 9;
  private static final int SPINE_AT = 17;
  private static final int CRC_BYTES = Integer.BYTES;

  private HeadRow() {}

  static Bytes encode(byte[] head) {
    long count = HeadBytes.count(head);
    int spineBytes = HeadBytes.trees(head) * HeadBytes.SPINE_ENTRY_BYTES;
    int bytes = SPINE_AT + spineBytes + Long.bitCount(count) * Digest.BYTES + CRC_BYTES;
    ByteBuffer row = ByteBuffer.allocate(bytes);
    row.put(VERSION).putLong(count).putLong(HeadBytes.deletedJsn(head));
    row.put(head, HeadBytes.spineAt(head, 0), spineBytes);
    for (long bits = count; bits != 0; bits &= bits - 1) {
      int level = Long.numberOfTrailingZeros(bits);
      row.put(head, HeadBytes.frontierAt(level), Digest.BYTES);
    }
    row.putInt(checksum(HeadBytes.clueId(head), row.array()));
    return Bytes.wrap(row.array());
  }

  /// The checksum of a clue's row, whose last bytes it will be.
  static int checksum(Digest clueId, byte[] row) {
    CRC32C crc = new CRC32C();
    crc.update(clueId.toArray());
    crc.update(row, 0, row.length - CRC_BYTES);
    return (int) crc.getValue();
  }

  /// @param share whose head it will be
  /// @param cells the number of cells there are
  static byte[] decode(StrandId strand, int share, Digest clueId, long cells, Bytes value)
      throws CorruptStreamException {
    ByteBuffer row = ByteBuffer.wrap(value.unsafeArray());
    if (value.size() < SPINE_AT + CRC_BYTES) {
      int want = SPINE_AT + CRC_BYTES;
      throw corrupt(strand, clueId, 0, value.size() + " bytes, want at least " + want);
    }
    byte version = row.get();
    if (version != VERSION) {
      String age = version > VERSION ? "too new" : "too old";
      throw corrupt(
          strand, clueId, 0, String.format(Locale.ROOT, "format version %d is %s", version, age));
    }
    long count = row.getLong();
    if (count < 1 || count > cells) {
      throw corrupt(strand, clueId, COUNT_AT, count + " entries of " + cells + " cells");
    }
    int trees = SkipGeometry.treeCount(count);
    int end = SPINE_AT + trees * HeadBytes.SPINE_ENTRY_BYTES + Long.bitCount(count) * Digest.BYTES;
    if (value.size() != end + CRC_BYTES) {
      throw corrupt(
          strand,
          clueId,
          SPINE_AT,
          String.format(Locale.ROOT, "%d bytes, want %d", value.size(), end + CRC_BYTES));
    }
    if (row.getInt(end) != checksum(clueId, row.array())) {
      throw corrupt(strand, clueId, end, "checksum is wrong");
    }
    byte[] head = HeadBytes.create(share, clueId, count);
    HeadBytes.count(head, count, SkipGeometry.shape(count));
    HeadBytes.deletedJsn(head, row.getLong());
    takeSpine(strand, clueId, row, head, trees, cells);
    for (long bits = count; bits != 0; bits &= bits - 1) {
      int level = Long.numberOfTrailingZeros(bits);
      row.get(head, HeadBytes.frontierAt(level), Digest.BYTES);
    }
    return head;
  }

  private static void takeSpine(
      StrandId strand, Digest clueId, ByteBuffer row, byte[] head, int trees, long cells)
      throws CorruptStreamException {
    long newestCell = -1;
    long newestJsn = -1;
    for (int tree = 1; tree <= trees; tree++) {
      int at = row.position();
      long cell = row.getLong();
      long jsn = row.getLong();
      if (cell <= newestCell || cell >= cells || jsn <= newestJsn) {
        throw corrupt(
            strand,
            clueId,
            at,
            String.format(Locale.ROOT, "cell %d of %d for jsn %d", cell, cells, jsn));
      }
      HeadBytes.push(head, tree, cell, jsn);
      newestCell = cell;
      newestJsn = jsn;
    }
    long deletedJsn = HeadBytes.deletedJsn(head);
    if (deletedJsn != 0 && deletedJsn != newestJsn) {
      throw corrupt(
          strand,
          clueId,
          DELETED_AT,
          String.format(Locale.ROOT, "deleted at %d, want 0 or %d", deletedJsn, newestJsn));
    }
  }

  static CorruptStreamException corrupt(
      StrandId strand, Digest clueId, long offset, String message) {
    return new CorruptStreamException("head of clue " + clueId + " of " + strand, offset, message);
  }
}

package io.tallystick.storage.forest;

import io.tallystick.model.StrandId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/// The bytes of a closed partition's file, big-endian. A block's checksum covers the file's header,
/// the block's position and all behind the checksum. Source: `docs/formats/state-pages.md`.
///
/// ```
///  header   "tlyspart" | format (u32) | ledger (32) | strand (u32) | number (u64) | serial (u64)
///  block    crc32c | level (u8) | bytes (u32) | image
///  trailer  crc32c | position of the filter (u64) | bytes of the filter (u64)
/// ```
final class PartFormat {
  static final int HEADER_BYTES = 8 + 4 + 32 + 4 + 8 + 8;
  static final int BLOCK_HEAD_BYTES = 9;
  static final int TRAILER_BYTES = 20;

  /// The ending of the names of all files.
  static final String SUFFIX = ".part";

  /// Stands where a node has its level.
  static final int FILTER = 0xff;

  private static final int FORMAT = 1;
  private static final byte[] MAGIC = "tlyspart".getBytes(StandardCharsets.US_ASCII);

  private PartFormat() {}

  static String directory(StrandId strand) {
    return ForestStore.NAME + "/" + strand.ledger().digest().hex() + "-" + strand.strand();
  }

  /// @param serial tells it from a file that another savepoint has made of the partition
  static String name(StrandId strand, long number, long serial) {
    return directory(strand) + "/" + fileName(number, serial);
  }

  static String fileName(long number, long serial) {
    return number + "-" + serial + SUFFIX;
  }

  static byte[] header(StrandId strand, long number, long serial) {
    return ByteBuffer.allocate(HEADER_BYTES)
        .put(MAGIC)
        .putInt(FORMAT)
        .put(strand.ledger().digest().toArray())
        .putInt(strand.strand())
        .putLong(number)
        .putLong(serial)
        .array();
  }

  /// @param block from its checksum on; that itself is not covered
  static int checksum(byte[] header, long position, byte[] block, int count) {
    CRC32C crc = new CRC32C();
    crc.update(header);
    for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      crc.update((int) (position >>> shift) & 0xff);
    }
    crc.update(block, Integer.BYTES, count - Integer.BYTES);
    return (int) crc.getValue();
  }
}

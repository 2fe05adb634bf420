package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.framing.FrameHeader;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Remembers the highest epoch that ever opened a stream for writing, also if it wrote nothing.
/// Replaced as a whole: written beside, forced, renamed. Source: docs/formats/frame.md.
///
/// ```
///  0       4        6       8       12       16      24    28
///  +-------+--------+-------+-------+--------+-------+-----+
///  | magic | format | flags | shard | stream | epoch | crc |
///  +-------+--------+-------+-------+--------+-------+-----+
/// ```
final class EpochFile {
  private static final int BYTES = 28;
  private static final int MAGIC = 0x54534550; // TSEP
  private static final short FORMAT = 1;
  private static final int FORMAT_AT = 4;
  private static final int SHARD_AT = 8;
  private static final int STREAM_AT = 12;
  private static final int EPOCH_AT = 16;
  private static final int CRC_AT = 24;

  private final StreamFiles files;

  EpochFile(StreamFiles files) {
    this.files = files;
  }

  /// The last epoch; -1 if the stream was never opened.
  long read() throws IOException, CorruptStreamException {
    if (!files.disk().exists(files.epoch())) {
      return -1;
    }
    // One byte more, so that a longer file is noticed.
    ByteBuffer bytes = ByteBuffer.allocate(BYTES + 1);
    try (DiskFile file = files.disk().open(files.epoch())) {
      file.read(0, bytes);
    }
    long epoch = bytes.getLong(EPOCH_AT);
    if (!bytes.flip().equals(encode(files.id().shard(), epoch))) {
      throw new CorruptStreamException(files.epoch(), 0, "the epoch file is damaged");
    }
    return epoch;
  }

  void write(long epoch) throws IOException {
    String beside = files.epoch() + ".new";
    try (DiskFile file = files.disk().open(beside)) {
      file.truncate(0);
      file.write(0, encode(files.id().shard(), epoch));
      file.force();
    }
    files.disk().rename(beside, files.epoch());
    files.disk().forceDirectory(files.directory());
  }

  static ByteBuffer encode(int shard, long epoch) {
    ByteBuffer bytes =
        ByteBuffer.allocate(BYTES)
            .putInt(0, MAGIC)
            .putShort(FORMAT_AT, FORMAT)
            .putInt(SHARD_AT, shard)
            .putInt(STREAM_AT, SegmentHeader.COMMIT_STREAM)
            .putLong(EPOCH_AT, epoch);
    return bytes.putInt(CRC_AT, FrameHeader.crc(bytes, 0, CRC_AT));
  }
}

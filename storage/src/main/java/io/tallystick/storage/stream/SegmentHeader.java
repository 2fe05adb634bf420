package io.tallystick.storage.stream;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.tallystick.model.MalformedException;
import io.tallystick.storage.framing.FrameHeader;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.util.Locale;

/// The fixed first bytes of every segment file; all numbers big-endian. Source:
/// docs/formats/frame.md.
///
/// ```
///  0       4        6       8       12        16           24            32      40       44
///  +-------+--------+-------+-------+---------+------------+-------------+-------+--------+-----+
///  | magic | format | flags | shard | segment | firstFrame | bytesBefore | nonce | stream | crc | zeros to 64
///  +-------+--------+-------+-------+---------+------------+-------------+-------+--------+-----+
/// ```
///
/// @param segment 0-based
/// @param firstFrame number of the first frame in this segment
/// @param bytesBefore bytes of frames in all earlier segments of the stream
/// @param nonce drawn at random for this segment; its frames repeat it
public record SegmentHeader(int shard, int segment, long firstFrame, long bytesBefore, long nonce) {
  public static final int BYTES = 64;

  private static final int MAGIC = 0x54535347; // TSSG
  private static final short FORMAT = 1;

  /// The only stream a shard has in this format.
  static final int COMMIT_STREAM = 0;

  private static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          JAVA_INT_UNALIGNED.withName("magic"),
          JAVA_SHORT_UNALIGNED.withName("format"),
          JAVA_SHORT_UNALIGNED.withName("flags"),
          JAVA_INT_UNALIGNED.withName("shard"),
          JAVA_INT_UNALIGNED.withName("segment"),
          JAVA_LONG_UNALIGNED.withName("firstFrame"),
          JAVA_LONG_UNALIGNED.withName("bytesBefore"),
          JAVA_LONG_UNALIGNED.withName("nonce"),
          JAVA_INT_UNALIGNED.withName("stream"),
          JAVA_INT_UNALIGNED.withName("crc"),
          MemoryLayout.paddingLayout(16));

  private static final int MAGIC_AT = at("magic");
  private static final int FORMAT_AT = at("format");
  private static final int SHARD_AT = at("shard");
  private static final int SEGMENT_AT = at("segment");
  private static final int FIRST_FRAME_AT = at("firstFrame");
  private static final int BYTES_BEFORE_AT = at("bytesBefore");
  private static final int NONCE_AT = at("nonce");
  private static final int STREAM_AT = at("stream");
  private static final int CRC_AT = at("crc");

  static {
    if (LAYOUT.byteSize() != BYTES || FIRST_FRAME_AT != 16 || CRC_AT != 44) {
      throw new AssertionError("segment header layout drifted: " + LAYOUT);
    }
  }

  private static int at(String field) {
    return Math.toIntExact(LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement(field)));
  }

  public ByteBuffer encode() {
    ByteBuffer bytes =
        ByteBuffer.allocate(BYTES)
            .putInt(MAGIC_AT, MAGIC)
            .putShort(FORMAT_AT, FORMAT)
            .putInt(SHARD_AT, shard)
            .putInt(SEGMENT_AT, segment)
            .putLong(FIRST_FRAME_AT, firstFrame)
            .putLong(BYTES_BEFORE_AT, bytesBefore)
            .putLong(NONCE_AT, nonce)
            .putInt(STREAM_AT, COMMIT_STREAM);
    return bytes.putInt(CRC_AT, FrameHeader.crc(bytes, 0, CRC_AT));
  }

  /// @param bytes the first {@link #BYTES} of the file
  /// @throws MalformedException unless they are the undamaged header of that segment's file, of
  ///   whatever shard
  public static SegmentHeader decode(ByteBuffer bytes, int segment) throws MalformedException {
    return decode(bytes, bytes.remaining() < BYTES ? 0 : bytes.getInt(SHARD_AT), segment);
  }

  /// @param bytes the first {@link #BYTES} of the file
  /// @throws MalformedException unless they are the undamaged header of that shard's and segment's
  ///   file
  static SegmentHeader decode(ByteBuffer bytes, int shard, int segment) throws MalformedException {
    if (bytes.remaining() < BYTES || bytes.getInt(MAGIC_AT) != MAGIC) {
      throw new MalformedException("not a segment file");
    }
    if (bytes.getInt(CRC_AT) != FrameHeader.crc(bytes, 0, CRC_AT)) {
      throw new MalformedException("segment header checksum is wrong");
    }
    SegmentHeader header =
        new SegmentHeader(
            bytes.getInt(SHARD_AT),
            bytes.getInt(SEGMENT_AT),
            bytes.getLong(FIRST_FRAME_AT),
            bytes.getLong(BYTES_BEFORE_AT),
            bytes.getLong(NONCE_AT));
    // Whatever is not spelled out here (format, flags, stream, zeros) has one value only.
    if (!header.encode().equals(bytes.slice(0, BYTES))) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "segment format %d or a reserved field is unknown to this software",
              Short.toUnsignedInt(bytes.getShort(FORMAT_AT))));
    }
    if (header.shard != shard || header.segment != segment) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "header of shard %d segment %d, want shard %d segment %d",
              header.shard,
              header.segment,
              shard,
              segment));
    }
    return header;
  }
}

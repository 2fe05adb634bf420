package io.tallystick.storage.framing;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.tallystick.model.MalformedException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32C;

/// The fixed first bytes of every frame; all numbers big-endian. Source: `docs/formats/frame.md`.
///
/// ```
///  0       4        6       8       16      24       32          36             40        44           48
///  +-------+--------+-------+-------+-------+--------+-----------+--------------+---------+------------+-----------+
///  | magic | format | flags | nonce | epoch | number | infoBytes | payloadBytes | infoCrc | payloadCrc | headerCrc | zeros to 64
///  +-------+--------+-------+-------+-------+--------+-----------+--------------+---------+------------+-----------+
/// ```
///
/// @param nonce the segment's; a frame of another segment, or one that a client wrote into a
///   payload, has another
/// @param epoch of the writer
/// @param number of the frame in its stream
public record FrameHeader(
    long nonce,
    long epoch,
    long number,
    int infoBytes,
    int payloadBytes,
    int infoCrc,
    int payloadCrc) {
  /// Bytes of the header.
  public static final int BYTES = 64;

  /// Frames begin at multiples of this.
  public static final int ALIGNMENT = 64;

  /// Bound of a whole frame, header included.
  public static final int MAX_FRAME_BYTES = 16 * 1024 * 1024;

  /// The first four bytes: `TSFR`.
  public static final int MAGIC = 0x54534652;

  static final short FORMAT = 1;

  private static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          JAVA_INT_UNALIGNED.withName("magic"),
          JAVA_SHORT_UNALIGNED.withName("format"),
          JAVA_SHORT_UNALIGNED.withName("flags"),
          JAVA_LONG_UNALIGNED.withName("nonce"),
          JAVA_LONG_UNALIGNED.withName("epoch"),
          JAVA_LONG_UNALIGNED.withName("number"),
          JAVA_INT_UNALIGNED.withName("infoBytes"),
          JAVA_INT_UNALIGNED.withName("payloadBytes"),
          JAVA_INT_UNALIGNED.withName("infoCrc"),
          JAVA_INT_UNALIGNED.withName("payloadCrc"),
          JAVA_INT_UNALIGNED.withName("headerCrc"),
          MemoryLayout.paddingLayout(12));

  private static final int MAGIC_AT = at("magic");
  private static final int FORMAT_AT = at("format");
  private static final int FLAGS_AT = at("flags");
  private static final int NONCE_AT = at("nonce");
  private static final int EPOCH_AT = at("epoch");
  private static final int NUMBER_AT = at("number");
  private static final int INFO_BYTES_AT = at("infoBytes");
  private static final int PAYLOAD_BYTES_AT = at("payloadBytes");
  private static final int INFO_CRC_AT = at("infoCrc");
  private static final int PAYLOAD_CRC_AT = at("payloadCrc");
  private static final int HEADER_CRC_AT = at("headerCrc");
  private static final int END = HEADER_CRC_AT + Integer.BYTES;

  static {
    if (LAYOUT.byteSize() != BYTES || NUMBER_AT != 24 || INFO_CRC_AT != 40 || END != 52) {
      throw new AssertionError("frame header layout drifted: " + LAYOUT);
    }
  }

  private static int at(String field) {
    return Math.toIntExact(LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement(field)));
  }

  /// The header of a frame with these sections, which are read but not consumed.
  public static FrameHeader stamp(
      long nonce, long epoch, long number, ByteBuffer infos, ByteBuffer payloads) {
    FrameHeader bare =
        new FrameHeader(nonce, epoch, number, infos.remaining(), payloads.remaining(), 0, 0);
    return bare.stamped(bare.infoCrcOf(infos), bare.payloadCrcOf(payloads));
  }

  /// This header over another payload section of the same length: for the eraser, and for showing
  /// that a repaired checksum does not fool an auditor.
  public FrameHeader withPayloads(ByteBuffer payloads) {
    if (payloads.remaining() != payloadBytes) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "%d payload bytes, want %d", payloads.remaining(), payloadBytes));
    }
    return stamped(infoCrc, payloadCrcOf(payloads));
  }

  private FrameHeader stamped(int newInfoCrc, int newPayloadCrc) {
    return new FrameHeader(
        nonce, epoch, number, infoBytes, payloadBytes, newInfoCrc, newPayloadCrc);
  }

  /// The 64 bytes, ready to be read.
  public ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    putFields(bytes);
    bytes.putInt(HEADER_CRC_AT, crc(bytes, 0, HEADER_CRC_AT));
    return bytes;
  }

  /// Reads the 64 bytes at `bytes`' position, which does not move.
  ///
  /// @throws MalformedException unless they are an undamaged header of this format
  public static FrameHeader decode(ByteBuffer bytes) throws MalformedException {
    if (bytes.remaining() < BYTES) {
      throw new MalformedException(
          String.format(Locale.ROOT, "%d bytes, want %d", bytes.remaining(), BYTES));
    }
    ByteBuffer header = bytes.slice(bytes.position(), BYTES);
    if (header.getInt(MAGIC_AT) != MAGIC) {
      throw new MalformedException(
          String.format(Locale.ROOT, "no frame magic: %08x", header.getInt(MAGIC_AT)));
    }
    if (header.getInt(HEADER_CRC_AT) != crc(header, 0, HEADER_CRC_AT)) {
      throw new MalformedException("frame header checksum is wrong");
    }
    checkFormat(header);
    return checkLengths(
        new FrameHeader(
            header.getLong(NONCE_AT),
            header.getLong(EPOCH_AT),
            header.getLong(NUMBER_AT),
            header.getInt(INFO_BYTES_AT),
            header.getInt(PAYLOAD_BYTES_AT),
            header.getInt(INFO_CRC_AT),
            header.getInt(PAYLOAD_CRC_AT)));
  }

  private static void checkFormat(ByteBuffer header) throws MalformedException {
    int format = Short.toUnsignedInt(header.getShort(FORMAT_AT));
    if (format != FORMAT) {
      throw new MalformedException(
          String.format(Locale.ROOT, "frame format %d, this software reads %d", format, FORMAT));
    }
    boolean zeros = header.getShort(FLAGS_AT) == 0;
    for (int at = END; at < BYTES; at++) {
      zeros &= header.get(at) == 0;
    }
    if (!zeros) {
      throw new MalformedException("reserved bytes of the frame header are not zero");
    }
  }

  private static FrameHeader checkLengths(FrameHeader header) throws MalformedException {
    int room = MAX_FRAME_BYTES - BYTES;
    if (header.infoBytes < 0
        || header.payloadBytes < 0
        || (long) header.infoBytes + header.payloadBytes > room) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "%d info and %d payload bytes, at most %d",
              header.infoBytes,
              header.payloadBytes,
              room));
    }
    return header;
  }

  /// @throws MalformedException unless `infos` (not consumed) is this frame's info section
  public void checkInfos(ByteBuffer infos) throws MalformedException {
    if (infos.remaining() != infoBytes || infoCrcOf(infos) != infoCrc) {
      throw new MalformedException("info section checksum of frame " + number + " is wrong");
    }
  }

  /// @throws MalformedException unless `payloads` (not consumed) is this frame's payload section
  public void checkPayloads(ByteBuffer payloads) throws MalformedException {
    if (payloads.remaining() != payloadBytes || payloadCrcOf(payloads) != payloadCrc) {
      throw new MalformedException("payload section checksum of frame " + number + " is wrong");
    }
  }

  /// Offset of the payload section from the first byte of the frame.
  public int payloadOffset() {
    return BYTES + infoBytes;
  }

  /// Header and sections.
  public int frameBytes() {
    return BYTES + infoBytes + payloadBytes;
  }

  /// The frame and the zeros behind it up to the next boundary.
  public int alignedBytes() {
    return aligned(frameBytes());
  }

  /// The least multiple of {@link #ALIGNMENT} that is not below `bytes`.
  public static int aligned(int bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  private int infoCrcOf(ByteBuffer infos) {
    return crcOver(0, INFO_CRC_AT, infos);
  }

  private int payloadCrcOf(ByteBuffer payloads) {
    return crcOver(NONCE_AT, INFO_BYTES_AT, payloads);
  }

  private int crcOver(int from, int to, ByteBuffer section) {
    ByteBuffer fields = ByteBuffer.allocate(BYTES);
    putFields(fields);
    CRC32C crc = new CRC32C();
    crc.update(fields.slice(from, to - from));
    crc.update(section.duplicate());
    return (int) crc.getValue();
  }

  private void putFields(ByteBuffer bytes) {
    bytes
        .putInt(MAGIC_AT, MAGIC)
        .putShort(FORMAT_AT, FORMAT)
        .putLong(NONCE_AT, nonce)
        .putLong(EPOCH_AT, epoch)
        .putLong(NUMBER_AT, number)
        .putInt(INFO_BYTES_AT, infoBytes)
        .putInt(PAYLOAD_BYTES_AT, payloadBytes)
        .putInt(INFO_CRC_AT, infoCrc)
        .putInt(PAYLOAD_CRC_AT, payloadCrc);
  }

  /// CRC32C of `length` bytes from index `offset` on.
  public static int crc(ByteBuffer bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(offset, length));
    return (int) crc.getValue();
  }
}

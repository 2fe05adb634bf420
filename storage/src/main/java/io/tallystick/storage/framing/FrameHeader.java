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
import org.jspecify.annotations.Nullable;

/// The fixed first bytes of every frame; all numbers big-endian. Source: `docs/formats/frame.md`.
///
/// ```
///  0       4        6       8       16      24       32          36             40        44           48           52         56      60
///  +-------+--------+-------+-------+-------+--------+-----------+--------------+---------+------------+------------+----------+-------+-----------+
///  | magic | format | flags | nonce | epoch | number | infoBytes | payloadBytes | infoCrc | payloadCrc | notesBytes | notesCrc | zeros | headerCrc |
///  +-------+--------+-------+-------+-------+--------+-----------+--------------+---------+------------+------------+----------+-------+-----------+
/// ```
///
/// A header of format 1, which has no notes, has its headerCrc at 48 and zeros behind it.
///
/// @param nonce the segment's; a frame of another segment, or one that a client wrote into a
///   payload, has another
/// @param epoch of the writer
/// @param number of the frame in its stream
public record FrameHeader(
    int format,
    long nonce,
    long epoch,
    long number,
    int infoBytes,
    int payloadBytes,
    int notesBytes,
    int infoCrc,
    int payloadCrc,
    int notesCrc) {
  /// Bytes of the header.
  public static final int BYTES = 64;

  /// Frames begin at multiples of this.
  public static final int ALIGNMENT = 64;

  /// Bound of a whole frame, header included.
  public static final int MAX_FRAME_BYTES = 16 * 1024 * 1024;

  /// The first four bytes: `TSFR`.
  public static final int MAGIC = 0x54534652;

  /// The format that is written.
  static final int FORMAT = 2;

  private static final int FORMAT_WITHOUT_NOTES = 1;

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
          JAVA_INT_UNALIGNED.withName("notesBytes"),
          JAVA_INT_UNALIGNED.withName("notesCrc"),
          MemoryLayout.paddingLayout(4),
          JAVA_INT_UNALIGNED.withName("headerCrc"));

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
  private static final int NOTES_BYTES_AT = at("notesBytes");
  private static final int NOTES_CRC_AT = at("notesCrc");
  private static final int ZEROS_AT = NOTES_CRC_AT + Integer.BYTES;
  private static final int HEADER_CRC_AT = at("headerCrc");

  static {
    if (LAYOUT.byteSize() != BYTES
        || NUMBER_AT != 24
        || INFO_CRC_AT != 40
        || NOTES_BYTES_AT != 48
        || HEADER_CRC_AT != 60) {
      throw new AssertionError("frame header layout drifted: " + LAYOUT);
    }
  }

  private static int at(String field) {
    return Math.toIntExact(LAYOUT.byteOffset(MemoryLayout.PathElement.groupElement(field)));
  }

  /// What an undamaged header of any format says of its frame: these fields and the checksum have
  /// their places in all formats from 2 on.
  public record Mark(int format, long nonce, long number) {
    public boolean isKnown() {
      return format == FORMAT || format == FORMAT_WITHOUT_NOTES;
    }
  }

  /// The mark of the 64 bytes at `bytes`' position, which does not move; null unless they are an
  /// undamaged header.
  public static @Nullable Mark mark(ByteBuffer bytes) {
    ByteBuffer header = bytes.slice(bytes.position(), BYTES);
    if (header.getInt(MAGIC_AT) != MAGIC) {
      return null;
    }
    int format = Short.toUnsignedInt(header.getShort(FORMAT_AT));
    int crcAt = crcAt(format);
    return header.getInt(crcAt) == crc(header, 0, crcAt)
        ? new Mark(format, header.getLong(NONCE_AT), header.getLong(NUMBER_AT))
        : null;
  }

  private static int crcAt(int format) {
    return format == FORMAT_WITHOUT_NOTES ? NOTES_BYTES_AT : HEADER_CRC_AT;
  }

  /// The header of a frame with these sections, which are read but not consumed.
  public static FrameHeader stamp(
      long nonce,
      long epoch,
      long number,
      ByteBuffer infos,
      ByteBuffer payloads,
      ByteBuffer notes) {
    FrameHeader bare =
        new FrameHeader(
            FORMAT,
            nonce,
            epoch,
            number,
            infos.remaining(),
            payloads.remaining(),
            notes.remaining(),
            0,
            0,
            0);
    return bare.stamped(bare.infoCrcOf(infos), bare.laterCrcOf(payloads), bare.laterCrcOf(notes));
  }

  /// This header over other infos and payloads of the same lengths: for the eraser.
  public FrameHeader withSections(ByteBuffer infos, ByteBuffer payloads) {
    if (infos.remaining() != infoBytes || payloads.remaining() != payloadBytes) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%d info and %d payload bytes, want %d and %d",
              infos.remaining(),
              payloads.remaining(),
              infoBytes,
              payloadBytes));
    }
    return stamped(infoCrcOf(infos), laterCrcOf(payloads), notesCrc);
  }

  /// This header over another payload section of the same length: for showing that a repaired
  /// checksum does not fool an auditor.
  public FrameHeader withPayloads(ByteBuffer payloads) {
    if (payloads.remaining() != payloadBytes) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "%d payload bytes, want %d", payloads.remaining(), payloadBytes));
    }
    return stamped(infoCrc, laterCrcOf(payloads), notesCrc);
  }

  private FrameHeader stamped(int newInfoCrc, int newPayloadCrc, int newNotesCrc) {
    return new FrameHeader(
        format,
        nonce,
        epoch,
        number,
        infoBytes,
        payloadBytes,
        notesBytes,
        newInfoCrc,
        newPayloadCrc,
        newNotesCrc);
  }

  /// The 64 bytes, ready to be read.
  public ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    putFields(bytes);
    if (format != FORMAT_WITHOUT_NOTES) {
      bytes.putInt(NOTES_BYTES_AT, notesBytes).putInt(NOTES_CRC_AT, notesCrc);
    }
    int crcAt = crcAt(format);
    bytes.putInt(crcAt, crc(bytes, 0, crcAt));
    return bytes;
  }

  /// Reads the 64 bytes at `bytes`' position, which does not move.
  ///
  /// @throws MalformedException unless they are an undamaged header of a known format
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
    Mark mark = mark(header);
    if (mark == null) {
      throw new MalformedException("frame header checksum is wrong");
    }
    if (!mark.isKnown()) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "frame format %d is unknown; this software reads up to %d",
              mark.format,
              FORMAT));
    }
    boolean hasNotes = mark.format != FORMAT_WITHOUT_NOTES;
    checkZeros(header, hasNotes);
    return checkLengths(
        new FrameHeader(
            mark.format,
            mark.nonce,
            header.getLong(EPOCH_AT),
            mark.number,
            header.getInt(INFO_BYTES_AT),
            header.getInt(PAYLOAD_BYTES_AT),
            hasNotes ? header.getInt(NOTES_BYTES_AT) : 0,
            header.getInt(INFO_CRC_AT),
            header.getInt(PAYLOAD_CRC_AT),
            hasNotes ? header.getInt(NOTES_CRC_AT) : 0));
  }

  private static void checkZeros(ByteBuffer header, boolean hasNotes) throws MalformedException {
    int from = hasNotes ? ZEROS_AT : NOTES_BYTES_AT + Integer.BYTES;
    int to = hasNotes ? HEADER_CRC_AT : BYTES;
    boolean zeros = header.getShort(FLAGS_AT) == 0;
    for (int at = from; at < to; at++) {
      zeros &= header.get(at) == 0;
    }
    if (!zeros) {
      throw new MalformedException("reserved bytes of the frame header are not zero");
    }
  }

  private static FrameHeader checkLengths(FrameHeader header) throws MalformedException {
    int room = MAX_FRAME_BYTES - BYTES;
    long sections = (long) header.infoBytes + header.payloadBytes + header.notesBytes;
    if (header.infoBytes < 0
        || header.payloadBytes < 0
        || header.notesBytes < 0
        || sections > room) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "%d info, %d payload and %d note bytes, at most %d",
              header.infoBytes,
              header.payloadBytes,
              header.notesBytes,
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
    if (payloads.remaining() != payloadBytes || laterCrcOf(payloads) != payloadCrc) {
      throw new MalformedException("payload section checksum of frame " + number + " is wrong");
    }
  }

  /// @throws MalformedException unless `notes` (not consumed) is this frame's notes section
  public void checkNotes(ByteBuffer notes) throws MalformedException {
    boolean good =
        notes.remaining() == notesBytes
            && (format == FORMAT_WITHOUT_NOTES || laterCrcOf(notes) == notesCrc);
    if (!good) {
      throw new MalformedException("notes section checksum of frame " + number + " is wrong");
    }
  }

  /// Offset of the payload section from the first byte of the frame.
  public int payloadOffset() {
    return BYTES + infoBytes;
  }

  /// Offset of the notes section from the first byte of the frame.
  public int notesOffset() {
    return BYTES + infoBytes + payloadBytes;
  }

  /// Header and sections.
  public int frameBytes() {
    return BYTES + infoBytes + payloadBytes + notesBytes;
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

  /// Of payloads, or of notes: it stays good when another section is changed.
  private int laterCrcOf(ByteBuffer section) {
    return crcOver(NONCE_AT, INFO_BYTES_AT, section);
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
        .putShort(FORMAT_AT, (short) format)
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

package io.tallystick.client.trust;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The newest statement in a head file of two slots, which are written by turns. Every sector has a
/// checksum of its own, so that a write cut off by a crash (whole sectors, old and new) is told
/// from damage (a sector that was never written so). Source: docs/formats/trust-store.md.
///
/// ```
///  sector, 512 bytes, big-endian; a slot is 8 of them, a file two slots
///  0       4        5      6        7         8          16             20       24
///  +-------+--------+------+--------+---------+----------+--------------+--------+-------------+
///  | magic | format | slot | sector | sectors | sequence | contentBytes | crc32c | content 488 |
///  +-------+--------+------+--------+---------+----------+--------------+--------+-------------+
/// ```
///
/// @param sequence counts replacements, from 1
/// @param slot 0 or 1
record HeadSlots(long sequence, int slot, Bytes content) {
  static final int SECTOR_BYTES = 512;
  static final int SLOT_SECTORS = 8;
  static final int SLOT_BYTES = SLOT_SECTORS * SECTOR_BYTES;
  static final int FILE_BYTES = 2 * SLOT_BYTES;

  private static final int MAGIC = 0x54534844; // TSHD
  private static final byte FORMAT = 1;
  private static final int FORMAT_AT = 4;
  private static final int SLOT_AT = 5;
  private static final int SECTOR_AT = 6;
  private static final int SECTORS_AT = 7;
  private static final int SEQUENCE_AT = 8;
  private static final int CONTENT_BYTES_AT = 16;
  private static final int CRC_AT = 20;
  private static final int CONTENT_AT = 24;
  private static final int SECTOR_CONTENT_BYTES = SECTOR_BYTES - CONTENT_AT;

  /// A longer statement stays in a file of its own.
  static final int CONTENT_BYTES_MAX = SLOT_SECTORS * SECTOR_CONTENT_BYTES;

  /// The bytes to write for the next statement, and where.
  ///
  /// @param position in the file
  record Write(int position, Bytes sectors) {}

  /// Whether a file is one of slots; else it is a bare statement, which begins otherwise.
  static boolean isSlots(byte[] file) {
    return file.length >= Integer.BYTES && ByteBuffer.wrap(file).getInt(0) == MAGIC;
  }

  static boolean fits(Bytes content) {
    return content.size() <= CONTENT_BYTES_MAX;
  }

  /// A whole new file with its first statement.
  static Bytes first(Bytes content) {
    HeadSlots first = new HeadSlots(1, 0, content);
    return Bytes.wrap(Arrays.copyOf(first.sectors().unsafeArray(), FILE_BYTES));
  }

  /// The write that replaces this statement by another. This one's slot is not touched.
  Write next(Bytes nextContent) {
    HeadSlots next = new HeadSlots(sequence + 1, 1 - slot, nextContent);
    return new Write(next.slot * SLOT_BYTES, next.sectors());
  }

  private Bytes sectors() {
    int count = sectorsFor(content.size());
    byte[] sectors = new byte[count * SECTOR_BYTES];
    for (int sector = 0; sector < count; sector++) {
      int at = sector * SECTOR_BYTES;
      int from = sector * SECTOR_CONTENT_BYTES;
      ByteBuffer.wrap(sectors, at, SECTOR_BYTES)
          .slice()
          .putInt(MAGIC)
          .put(FORMAT)
          .put((byte) slot)
          .put((byte) sector)
          .put((byte) count)
          .putLong(sequence)
          .putInt(content.size())
          .putInt(0)
          .put(content.unsafeArray(), from, Math.min(SECTOR_CONTENT_BYTES, content.size() - from));
      ByteBuffer.wrap(sectors).putInt(at + CRC_AT, checksum(sectors, at));
    }
    return Bytes.wrap(sectors);
  }

  private static int sectorsFor(int contentBytes) {
    return Math.max(1, (contentBytes + SECTOR_CONTENT_BYTES - 1) / SECTOR_CONTENT_BYTES);
  }

  /// Over the sector without the checksum itself.
  private static int checksum(byte[] file, int at) {
    CRC32C crc = new CRC32C();
    crc.update(file, at, CRC_AT);
    crc.update(file, at + CONTENT_AT, SECTOR_CONTENT_BYTES);
    return (int) crc.getValue();
  }

  /// Reads the newest whole slot.
  ///
  /// @throws MalformedException if any sector is neither empty nor as it was once written, or the
  ///   slots do not follow each other: no crash leaves that
  static HeadSlots newest(byte[] file) throws MalformedException {
    if (file.length != FILE_BYTES) {
      throw new MalformedException(file.length + " bytes, want " + FILE_BYTES);
    }
    HeadSlots first = read(file, 0);
    HeadSlots second = read(file, 1);
    if (first != null && second != null) {
      return newer(first, second);
    }
    if (first != null) {
      return first;
    }
    if (second != null) {
      return second;
    }
    throw new MalformedException("neither slot is whole");
  }

  private static HeadSlots newer(HeadSlots first, HeadSlots second) throws MalformedException {
    if (Math.abs(first.sequence - second.sequence) != 1) {
      throw new MalformedException(
          "slots of sequence " + first.sequence + " and " + second.sequence);
    }
    return first.sequence > second.sequence ? first : second;
  }

  /// One slot; null if a write of it was cut off, or none was ever made.
  private static @Nullable HeadSlots read(byte[] file, int slot) throws MalformedException {
    ByteBuffer bytes = ByteBuffer.wrap(file);
    int start = slot * SLOT_BYTES;
    long sequence = bytes.getLong(start + SEQUENCE_AT);
    int contentBytes = bytes.getInt(start + CONTENT_BYTES_AT);
    int count = bytes.get(start + SECTORS_AT);
    boolean whole = !isEmpty(file, start);
    for (int sector = 0; sector < SLOT_SECTORS; sector++) {
      int at = start + sector * SECTOR_BYTES;
      boolean empty = isEmpty(file, at);
      if (!empty) {
        checkSector(file, at, slot, sector);
      }
      whole &= sector >= count || (!empty && bytes.getLong(at + SEQUENCE_AT) == sequence);
    }
    if (!whole) {
      return null;
    }
    byte[] content = new byte[contentBytes];
    for (int from = 0; from < contentBytes; from += SECTOR_CONTENT_BYTES) {
      int at = start + from / SECTOR_CONTENT_BYTES * SECTOR_BYTES + CONTENT_AT;
      bytes.get(at, content, from, Math.min(SECTOR_CONTENT_BYTES, contentBytes - from));
    }
    return new HeadSlots(sequence, slot, Bytes.wrap(content));
  }

  private static boolean isEmpty(byte[] file, int at) {
    for (int i = at; i < at + SECTOR_BYTES; i++) {
      if (file[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private static void checkSector(byte[] file, int at, int slot, int sector)
      throws MalformedException {
    ByteBuffer bytes = ByteBuffer.wrap(file, at, SECTOR_BYTES).slice();
    if (bytes.getInt(CRC_AT) != checksum(file, at)) {
      throw new MalformedException("checksum of sector " + sector + " of slot " + slot);
    }
    int contentBytes = bytes.getInt(CONTENT_BYTES_AT);
    if (bytes.getInt(0) != MAGIC
        || bytes.get(FORMAT_AT) != FORMAT
        || bytes.get(SLOT_AT) != slot
        || bytes.get(SECTOR_AT) != sector
        || bytes.getLong(SEQUENCE_AT) < 1
        || contentBytes < 0
        || contentBytes > CONTENT_BYTES_MAX
        || bytes.get(SECTORS_AT) != sectorsFor(contentBytes)) {
      throw new MalformedException(
          "sector " + sector + " of slot " + slot + " is not of this place and format");
    }
  }
}

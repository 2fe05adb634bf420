package io.tallystick.storage.clue;

import io.tallystick.model.Digest;
import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.zip.CRC32C;

/// One cell of the clue index, to be written or as it was read: the entry of one journal in one
/// clue's list.
///
/// ```
///  0       8               40         48       56         60       64
///  +-------+---------------+----------+--------+----------+--------+
///  |  jsn  |   leaf hash   | previous |  skip  |  index   | crc32c |
///  |  u64  |   32 bytes    |   u64    |  u64   |   u32    |        |
///  +-------+---------------+----------+--------+----------+--------+
/// ```
///
/// Big-endian. Previous and skip are cell numbers, all ones where there is none. Index is the low
/// half of the entry's index within its clue. The checksum is over cell number (u64) ‖ clueId ‖ the
/// 60 bytes before it, so that a cell in a wrong place, or of another clue, is noticed. Not
/// thread-safe.
final class CellBytes {
  static final int BYTES = 64;

  /// The cell number that is none.
  static final long NONE = -1;

  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final StructLayout CELL =
      MemoryLayout.structLayout(
          U64.withName("jsn"),
          MemoryLayout.sequenceLayout(Digest.BYTES, ValueLayout.JAVA_BYTE).withName("leafHash"),
          U64.withName("previous"),
          U64.withName("skip"),
          U32.withName("index"),
          U32.withName("crc32c"));

  // What the checksum covers lies before the cell, in one piece with it.
  private static final int NUMBER_AT = 0;
  private static final int CLUE_AT = 8;
  private static final int CELL_AT = CLUE_AT + Digest.BYTES;
  private static final int JSN_AT = CELL_AT;
  private static final int LEAF_AT = CELL_AT + 8;
  private static final int PREVIOUS_AT = CELL_AT + 40;
  private static final int SKIP_AT = CELL_AT + 48;
  private static final int INDEX_AT = CELL_AT + 56;
  private static final int CRC_AT = CELL_AT + 60;

  static {
    if (CELL.byteSize() != BYTES
        || CELL.byteOffset(PathElement.groupElement("leafHash")) != LEAF_AT - CELL_AT
        || CELL.byteOffset(PathElement.groupElement("previous")) != PREVIOUS_AT - CELL_AT
        || CELL.byteOffset(PathElement.groupElement("skip")) != SKIP_AT - CELL_AT
        || CELL.byteOffset(PathElement.groupElement("index")) != INDEX_AT - CELL_AT
        || CELL.byteOffset(PathElement.groupElement("crc32c")) != CRC_AT - CELL_AT) {
      throw new AssertionError("cell layout drifted: " + CELL);
    }
  }

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private final byte[] bytes = new byte[CELL_AT + BYTES];
  private final CRC32C crc = new CRC32C();

  /// The clue of the cells that are written or read from now on.
  void clue(Digest clueId) {
    clueId.copyInto(bytes, CLUE_AT);
  }

  /// Fills cell `number` with entry `index` of the clue.
  void fill(
      AppendArray cells,
      long number,
      long index,
      long jsn,
      byte[] leafHash,
      int leafHashOffset,
      long previous,
      long skip) {
    LONG.set(bytes, NUMBER_AT, number);
    LONG.set(bytes, JSN_AT, jsn);
    System.arraycopy(leafHash, leafHashOffset, bytes, LEAF_AT, Digest.BYTES);
    LONG.set(bytes, PREVIOUS_AT, previous);
    LONG.set(bytes, SKIP_AT, skip);
    INT.set(bytes, INDEX_AT, (int) index);
    INT.set(bytes, CRC_AT, checksum());
    cells.fill(number, bytes, CELL_AT);
  }

  /// Reads cell `number`.
  ///
  /// @throws CorruptStreamException unless it is as it was written, there and for this clue
  void read(AppendArray cells, long number) throws IOException, CorruptStreamException {
    if (number < 0 || number >= cells.rowCount()) {
      throw cells.corrupt(number, "no such cell, there are " + cells.rowCount());
    }
    cells.read(number, 1, bytes, CELL_AT);
    LONG.set(bytes, NUMBER_AT, number);
    if ((int) INT.get(bytes, CRC_AT) != checksum()) {
      String clueId = Digest.of(bytes, CLUE_AT).hex();
      throw cells.corrupt(
          number,
          String.format(Locale.ROOT, "cell %d is damaged or not of clue %s", number, clueId));
    }
  }

  /// Reads cell `number`, which is to be entry `index` of the clue.
  void read(AppendArray cells, long number, long index) throws IOException, CorruptStreamException {
    read(cells, number);
    if (!isEntry(index)) {
      int found = (int) INT.get(bytes, INDEX_AT);
      throw cells.corrupt(
          number,
          String.format(
              Locale.ROOT, "cell %d is entry %d of its clue, want %d", number, found, index));
    }
  }

  boolean isEntry(long index) {
    return (int) INT.get(bytes, INDEX_AT) == (int) index;
  }

  private int checksum() {
    crc.reset();
    crc.update(bytes, 0, CRC_AT);
    return (int) crc.getValue();
  }

  long jsn() {
    return (long) LONG.get(bytes, JSN_AT);
  }

  long previous() {
    return (long) LONG.get(bytes, PREVIOUS_AT);
  }

  long skip() {
    return (long) LONG.get(bytes, SKIP_AT);
  }

  Digest leafHash() {
    return Digest.of(bytes, LEAF_AT);
  }

  void copyLeafHash(byte[] into, int offset) {
    System.arraycopy(bytes, LEAF_AT, into, offset, Digest.BYTES);
  }
}

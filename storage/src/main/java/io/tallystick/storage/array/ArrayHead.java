package io.tallystick.storage.array;

import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// The row that says how long an array is and where its rows are.
///
/// ```
///  0         1      2          6           14
///  +---------+------+----------+-----------+------------------------+
///  | version | kind | rowBytes | rowCount  | rows after the last    |
///  |   = 1   |      |   u32    |   u64     | full chunk (kind META) |
///  +---------+------+----------+-----------+------------------------+
/// ```
record ArrayHead(Kind kind, int rowBytes, long rowCount, Bytes lastRows) {
  /// Where the rows before `lastRows` are.
  enum Kind {
    META(0),
    FILE(1);

    private final byte code;

    Kind(int code) {
      this.code = (byte) code;
    }

    static Kind of(ArrayId id, byte code) throws CorruptStreamException {
      return switch (code) {
        case 0 -> META;
        case 1 -> FILE;
        default -> throw corrupt(id, 1, "unknown kind " + code);
      };
    }
  }

  static final int HEADER_BYTES = 14;
  private static final byte VERSION = 1;

  Bytes encode() {
    ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES + lastRows.size());
    buffer.put(VERSION).put(kind.code).putInt(rowBytes).putLong(rowCount);
    buffer.put(lastRows.unsafeArray());
    return Bytes.wrap(buffer.array());
  }

  /// @param wantRowBytes what the caller stores in this array
  static ArrayHead decode(ArrayId id, Bytes value, int wantRowBytes) throws CorruptStreamException {
    if (value.size() < HEADER_BYTES) {
      throw corrupt(id, 0, value.size() + " bytes, want at least " + HEADER_BYTES);
    }
    ByteBuffer buffer = ByteBuffer.wrap(value.unsafeArray());
    byte version = buffer.get();
    if (version != VERSION) {
      String age = version > VERSION ? "too new" : "too old";
      throw corrupt(
          id,
          0,
          String.format(Locale.ROOT, "format version %d is %s, want %d", version, age, VERSION));
    }
    ArrayHead head =
        new ArrayHead(
            Kind.of(id, buffer.get()),
            buffer.getInt(),
            buffer.getLong(),
            value.slice(HEADER_BYTES, value.size() - HEADER_BYTES));
    head.check(id, wantRowBytes);
    return head;
  }

  private void check(ArrayId id, int wantRowBytes) throws CorruptStreamException {
    if (rowBytes != wantRowBytes) {
      throw corrupt(
          id, 2, String.format(Locale.ROOT, "rows of %d bytes, want %d", rowBytes, wantRowBytes));
    }
    if (rowCount < 0 || rowCount > Long.MAX_VALUE / rowBytes) {
      throw corrupt(id, 6, rowCount + " rows");
    }
    long wantBytes = kind == Kind.FILE ? 0 : rowCount * rowBytes % MetaRows.chunkBytes(rowBytes);
    if (lastRows.size() != wantBytes) {
      throw corrupt(
          id,
          HEADER_BYTES,
          String.format(Locale.ROOT, "%d bytes of rows, want %d", lastRows.size(), wantBytes));
    }
  }

  private static CorruptStreamException corrupt(ArrayId id, long offset, String message) {
    return new CorruptStreamException("meta row of array " + id, offset, message);
  }
}

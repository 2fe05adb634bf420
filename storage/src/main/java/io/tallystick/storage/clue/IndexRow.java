package io.tallystick.storage.clue;

import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// The row that says what the last savepoint held, so that a restore is checked against it:
/// `version (1) ‖ state (0 complete, 1 being rebuilt) ‖ cells (u64)`.
record IndexRow(boolean rebuilding, long cells) {
  private static final byte VERSION = 1;
  private static final int STATE_AT = 1;
  private static final int CELLS_AT = 2;
  private static final int BYTES = 10;

  Bytes encode() {
    return Bytes.wrap(
        ByteBuffer.allocate(BYTES)
            .put(VERSION)
            .put((byte) (rebuilding ? 1 : 0))
            .putLong(cells)
            .array());
  }

  static IndexRow decode(StrandId strand, Bytes value) throws CorruptStreamException {
    if (value.size() != BYTES) {
      throw corrupt(strand, 0, value.size() + " bytes, want " + BYTES);
    }
    ByteBuffer row = ByteBuffer.wrap(value.unsafeArray());
    byte version = row.get();
    if (version != VERSION) {
      String age = version > VERSION ? "too new" : "too old";
      throw corrupt(strand, 0, String.format(Locale.ROOT, "format version %d is %s", version, age));
    }
    byte state = row.get();
    if (state != 0 && state != 1) {
      throw corrupt(strand, STATE_AT, "unknown state " + state);
    }
    IndexRow index = new IndexRow(state == 1, row.getLong());
    if (index.cells < 0) {
      throw corrupt(strand, CELLS_AT, index.cells + " cells");
    }
    return index;
  }

  static CorruptStreamException corrupt(StrandId strand, long offset, String message) {
    return new CorruptStreamException("clue index of " + strand, offset, message);
  }
}

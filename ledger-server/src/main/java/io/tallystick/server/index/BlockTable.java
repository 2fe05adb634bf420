package io.tallystick.server.index;

import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// The blocks of one strand by height. One owner appends; any thread reads.
final class BlockTable {
  private final AppendArray rows;

  BlockTable(AppendArray rows) {
    this.rows = rows;
  }

  long blocks() {
    return rows.rowCount();
  }

  void append(BlockRow row) throws IOException {
    rows.append(row.encode(rows.rowCount()), 0, 1);
  }

  BlockRow row(long height) throws IOException, CorruptStreamException {
    byte[] row = new byte[BlockRow.BYTES];
    rows.read(height, 1, row, 0);
    return BlockRow.decode(row, height);
  }

  /// The height of the block that holds `jsn`, which must be below the end of the last of `blocks`.
  long heightOf(long jsn, long blocks) throws IOException, CorruptStreamException {
    long low = 0;
    long high = blocks - 1;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (row(middle).firstJsn() <= jsn) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    rows.savepoint(batch);
  }
}

package io.tallystick.server.index;

import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// The blocks of one strand by height. One owner appends; any thread reads.
final class BlockTable {
  private final AppendArray rows;

  /// The block found last: who reads leaves one after the other needs no search.
  private volatile Found found = new Found(-1, 0, -1);

  private record Found(long height, long firstJsn, long sealJsn) {}

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
    return BlockRow.decode(bytes(height), height);
  }

  private byte[] bytes(long height) throws IOException, CorruptStreamException {
    byte[] row = new byte[BlockRow.BYTES];
    rows.read(height, 1, row, 0);
    return row;
  }

  /// The height of the block that holds `jsn`, which must be below the end of the last of `blocks`.
  ///
  /// @throws CorruptStreamException if a row is damaged, or rows of another strand lead astray
  long heightOf(long jsn, long blocks) throws IOException, CorruptStreamException {
    Found last = found;
    if (last.firstJsn <= jsn && jsn <= last.sealJsn) {
      return last.height;
    }
    long next = last.height + 1;
    if (jsn == last.sealJsn + 1 && next < blocks && isFoundAt(next, jsn)) {
      return next;
    }
    long low = 0;
    long high = blocks - 1;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (BlockRow.firstJsn(bytes(middle), middle) <= jsn) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (!isFoundAt(low, jsn)) {
      throw new CorruptStreamException(
          "block rows", low * BlockRow.BYTES, "no block holds leaf " + jsn);
    }
    return low;
  }

  private boolean isFoundAt(long height, long jsn) throws IOException, CorruptStreamException {
    BlockRow row = row(height);
    if (jsn < row.firstJsn() || jsn > row.sealJsn()) {
      return false;
    }
    found = new Found(height, row.firstJsn(), row.sealJsn());
    return true;
  }

  void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    rows.savepoint(batch);
  }
}

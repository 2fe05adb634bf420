package io.tallystick.server.index;

import io.tallystick.model.StrandId;
import io.tallystick.storage.array.AppendArray;
import io.tallystick.storage.array.ArrayId;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The blocks of one strand by height. One owner appends; any thread reads. The array of their rows
/// is opened when it is needed first.
final class BlockTable {
  private static final String ARRAY = "blocks";

  private final ArrayStore arrays;
  private final ArrayId id;
  private volatile long blocks; // changed by the owner
  private volatile @Nullable AppendArray opened; // changed under this object's monitor

  /// The block found last: who reads leaves one after the other needs no search.
  private volatile Found found = new Found(-1, 0, -1);

  private record Found(long height, long firstJsn, long sealJsn) {}

  /// @param blocks of the last savepoint
  BlockTable(ArrayStore arrays, StrandId strand, long blocks) {
    this.arrays = arrays;
    this.id = new ArrayId(strand, ARRAY);
    this.blocks = blocks;
  }

  private AppendArray rows() throws IOException, CorruptStreamException {
    AppendArray now = opened;
    return now != null ? now : open();
  }

  private synchronized AppendArray open() throws IOException, CorruptStreamException {
    AppendArray array = opened;
    if (array == null) {
      array = arrays.open(id, BlockRow.BYTES);
      if (array.rowCount() != blocks) {
        array.close();
        throw array.corrupt(
            array.rowCount(), "%d block rows, want %d".formatted(array.rowCount(), blocks));
      }
      opened = array;
    }
    return array;
  }

  /// Lets go of the array, until it is needed again. Readers may go on. For the owner, when nothing
  /// waits for a savepoint.
  synchronized void rest() {
    AppendArray array = opened;
    if (array != null) {
      array.close();
      opened = null;
    }
  }

  void append(BlockRow row) throws IOException, CorruptStreamException {
    AppendArray rows = rows();
    rows.append(row.encode(blocks), 0, 1);
    blocks = rows.rowCount();
  }

  BlockRow row(long height) throws IOException, CorruptStreamException {
    return BlockRow.decode(bytes(height), height);
  }

  private byte[] bytes(long height) throws IOException, CorruptStreamException {
    byte[] row = new byte[BlockRow.BYTES];
    AppendArray rows = rows();
    try {
      rows.read(height, 1, row, 0);
    } catch (CorruptStreamException e) {
      AppendArray now = rows();
      if (now == rows) {
        throw e;
      }
      now.read(height, 1, row, 0); // one that was let go of may have moved to a file
    }
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
    AppendArray now = opened;
    if (now != null) {
      now.savepoint(batch);
    }
  }
}

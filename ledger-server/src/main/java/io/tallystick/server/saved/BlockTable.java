package io.tallystick.server.saved;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.array.ArrayId;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.array.RestingArray;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// The blocks of one strand by height. One owner appends; any thread reads. The array of their rows
/// is opened when it is needed first.
public final class BlockTable {
  private static final String ARRAY = "blocks";

  private final RestingArray rows;
  private long blocks; // the owner's alone

  /// The block found last: a reader of consecutive leaves needs no search.
  private volatile Found found = new Found(-1, 0, -1);

  private record Found(long height, long firstJsn, long sealJsn) {}

  /// @param blocks of the last savepoint
  public BlockTable(ArrayStore arrays, StrandId strand, long blocks) {
    this.rows = new RestingArray(arrays, new ArrayId(strand, ARRAY), BlockRow.BYTES, blocks);
    this.blocks = blocks;
  }

  /// Whether a row of the meta store is of these rows, of any strand.
  public static boolean isRow(Bytes key) {
    return ArrayStore.isRow(key, ARRAY);
  }

  /// The name, without its folder, of the file that rows may be in.
  public static String fileName() {
    return ArrayStore.fileName(ARRAY);
  }

  /// Puts the rows to rest, until they are needed again. Readers may go on. For the owner, when
  /// nothing waits for a savepoint.
  public void rest() {
    rows.rest();
  }

  /// @param previous block hash of the newest block, if there is one: its row must have it
  /// @throws CorruptStreamException if the rows are not those of this strand
  public void append(BlockRow row, Digest previous) throws IOException, CorruptStreamException {
    if (blocks > 0 && !row(blocks - 1).sealHash().equals(previous)) {
      throw new CorruptStreamException(
          "block rows", (blocks - 1) * BlockRow.BYTES, "they are not those of block " + previous);
    }
    rows.append(row.encode(blocks), 0, 1);
    blocks++;
  }

  public BlockRow row(long height) throws IOException, CorruptStreamException {
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
  public long heightOf(long jsn, long blocks) throws IOException, CorruptStreamException {
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

  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    rows.savepoint(batch);
  }
}

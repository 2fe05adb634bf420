package io.tallystick.storage.array;

import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// An array that is opened by its first use and can be closed again; closed, it costs almost no
/// memory. One owner thread appends, saves and closes it; any thread reads.
public final class RestingArray {
  private final ArrayStore store;
  private final ArrayId id;
  private final int rowBytes;
  private long restingRowCount; // under this object's monitor, as changes of `opened` are
  private volatile @Nullable AppendArray opened;

  /// @param rowCount that the last savepoint holds, which its opening must find
  public RestingArray(ArrayStore store, ArrayId id, int rowBytes, long rowCount) {
    this.store = store;
    this.id = id;
    this.rowBytes = rowBytes;
    this.restingRowCount = rowCount;
  }

  private AppendArray array() throws IOException, CorruptStreamException {
    AppendArray now = opened;
    return now != null ? now : open();
  }

  private synchronized AppendArray open() throws IOException, CorruptStreamException {
    AppendArray array = opened;
    if (array == null) {
      array = store.open(id, rowBytes);
      if (array.rowCount() != restingRowCount) {
        array.close();
        throw array.corrupt(
            array.rowCount(),
            String.format(Locale.ROOT, "%d rows, want %d", array.rowCount(), restingRowCount));
      }
      opened = array;
    }
    return array;
  }

  /// The number of rows that may be read.
  public long rowCount() throws IOException, CorruptStreamException {
    return array().rowCount();
  }

  /// See {@link AppendArray#append}. For the owner.
  public void append(byte[] rows, int offset, int count)
      throws IOException, CorruptStreamException {
    array().append(rows, offset, count);
  }

  /// See {@link AppendArray#read}. Any thread.
  public void read(long first, int count, byte[] into, int offset)
      throws IOException, CorruptStreamException {
    AppendArray array = array();
    try {
      array.read(first, count, into, offset);
    } catch (CorruptStreamException e) {
      AppendArray now = array();
      if (now == array) {
        throw e;
      }
      now.read(first, count, into, offset); // put to rest meanwhile, it may have moved to a file
    }
  }

  /// See {@link AppendArray#savepoint}; at rest there is nothing to save. For the owner.
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    AppendArray now = opened;
    if (now != null) {
      now.savepoint(batch);
    }
  }

  /// Closes the array until it is needed again. Readers may go on. For the owner, after the batch
  /// of the last savepoint was written; rows that no savepoint holds are gone, and the array with
  /// them.
  public synchronized void rest() {
    AppendArray array = opened;
    if (array != null) {
      array.close();
      restingRowCount = array.rowCount();
      opened = null;
    }
  }
}

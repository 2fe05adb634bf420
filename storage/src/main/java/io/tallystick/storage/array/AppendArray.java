package io.tallystick.storage.array;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/// An append-only array of rows of one size. One owner thread appends, saves and closes; any thread
/// reads rows below {@link #rowCount}, saved or not. After an exception of a write nothing more is
/// appended: the shard is opened again.
///
/// Rows are appended as a whole, or by several threads: the owner {@link #extend extends} the
/// array, each row is {@link #fill filled}, and the owner says when all are.
public final class AppendArray implements AutoCloseable {
  private static final int COPY_BYTES = 64 << 10;

  private final ArrayStore store;
  private final ArrayId id;
  private final ArrayKeys keys;
  private final int rowBytes;
  private final int chunkBytes;

  // Readers take rowCount, then tail, then backing; the owner writes them in the opposite order.
  private volatile Backing backing;
  private volatile Tail tail;
  private volatile long rowCount;

  // The owner's alone.
  private long savedRowCount;
  private long
      writtenBytes; // file arrays: in the file; meta arrays: in full chunks of past batches
  private long unfilledFrom; // of the rows of the last extension
  private boolean failed;
  private boolean closed;

  AppendArray(ArrayStore store, ArrayId id, ArrayHead head) {
    this.store = store;
    this.id = id;
    this.keys = new ArrayKeys(id);
    this.rowBytes = head.rowBytes();
    this.chunkBytes = MetaRows.chunkBytes(rowBytes);
    this.backing =
        switch (head.kind()) {
          case META -> new MetaRows(store.meta(), id, keys, rowBytes);
          case FILE -> new FileRows(store.files(), id);
        };
    this.rowCount = head.rowCount();
    this.savedRowCount = rowCount;
    this.writtenBytes = rowCount * rowBytes - head.lastRows().size();
    this.tail = Tail.of(writtenBytes, chunkBytes, head.lastRows().unsafeArray());
  }

  public ArrayId id() {
    return id;
  }

  /// The number of rows that may be read.
  public long rowCount() {
    return rowCount;
  }

  /// Rows appended since the last savepoint; 0 when closing loses nothing. For the owner.
  public long unsavedRowCount() {
    return rowCount - savedRowCount;
  }

  /// Whether rows that no savepoint holds go to a file when they are many, and stay in memory else.
  public boolean isFile() {
    return backing instanceof FileRows;
  }

  /// Appends `count` rows from `rows`, copied. They may be read on return. For the owner.
  public void append(byte[] rows, int offset, int count) throws IOException {
    checkUsable();
    int bytes = Math.multiplyExact(count, rowBytes);
    Objects.checkFromIndexSize(offset, bytes, rows.length);
    long end = Math.multiplyExact(Math.addExact(rowCount, count), (long) rowBytes);
    Tail room = tail.withRoomFor(end);
    room.write(end - bytes, rows, offset, bytes);
    tail = room;
    rowCount = end / rowBytes;
    flushIfDue();
  }

  private void flushIfDue() throws IOException {
    if (backing instanceof FileRows file
        && lengthBytes() - writtenBytes >= store.limits().flushBytes()) {
      failed = true; // until all of it is done
      flush(file);
      failed = false;
    }
  }

  /// Appends `count` rows that are yet to be {@link #fill filled}; until they are, the array is as
  /// one that has failed for all but that and readers. For the owner.
  public void extend(int count) {
    checkUsable();
    Objects.checkIndex(count, Integer.MAX_VALUE);
    failed = true; // until they are filled
    tail = tail.withRoomFor(Math.multiplyExact(Math.addExact(rowCount, count), (long) rowBytes));
    unfilledFrom = rowCount;
    rowCount = unfilledFrom + count;
  }

  /// Writes a row of those that the array was extended by, from `offset` of `rows`, copied. A
  /// thread may read it once the filling thread has told it so. For threads that the owner has
  /// started since and waits for.
  public void fill(long row, byte[] rows, int offset) {
    Objects.checkFromToIndex(unfilledFrom, row + 1, rowCount);
    Objects.checkFromIndexSize(offset, rowBytes, rows.length);
    tail.write(row * rowBytes, rows, offset, rowBytes);
  }

  /// Says that the rows of the last {@link #extend} have all been filled. For the owner.
  public void filled() throws IOException {
    failed = false;
    flushIfDue();
  }

  /// Copies rows `[first, first + count)` to `into`. Any thread.
  ///
  /// @throws IndexOutOfBoundsException unless all are below {@link #rowCount}
  /// @throws CorruptStreamException if stored bytes are missing
  public void read(long first, int count, byte[] into, int offset)
      throws IOException, CorruptStreamException {
    Objects.checkFromIndexSize(first, (long) count, rowCount);
    int bytes = Math.multiplyExact(count, rowBytes);
    Objects.checkFromIndexSize(offset, bytes, into.length);
    long position = first * rowBytes;
    Tail newest = tail;
    int below = (int) Math.clamp(newest.start - position, 0, (long) bytes);
    if (below > 0) {
      readBacking(position, into, offset, below);
    }
    newest.read(position + below, into, offset + below, bytes - below);
  }

  /// Says that row `row`, as read, is not the appended one. Names the file, or the meta rows, and
  /// where in it.
  public CorruptStreamException corrupt(long row, String message) {
    return new CorruptStreamException(backing.name(), row * rowBytes, message);
  }

  // A promotion deletes the meta rows once the file has taken their place.
  private void readBacking(long position, byte[] into, int offset, int bytes)
      throws IOException, CorruptStreamException {
    Backing source = backing;
    try {
      source.read(position, into, offset, bytes);
    } catch (CorruptStreamException e) {
      Backing now = backing;
      if (now == source) {
        throw e;
      }
      now.read(position, into, offset, bytes);
    }
  }

  /// Forces the file and puts into `batch` the rows that a restore needs; nothing if no row was
  /// appended since the last savepoint. An array that has outgrown the meta store moves to a file
  /// with this batch. For the owner; the batches of earlier savepoints have been written.
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    checkUsable();
    if (backing instanceof MetaRows) {
      tail = tail.from(writtenBytes);
    }
    if (unsavedRowCount() == 0) {
      return;
    }
    failed = true; // until all of it is done
    switch (backing) {
      case MetaRows _ when lengthBytes() > store.limits().metaBytesMax() -> promote(batch);
      case MetaRows _ -> saveChunks(batch);
      case FileRows file -> saveFile(file, batch);
    }
    savedRowCount = rowCount;
    failed = false;
  }

  private void saveChunks(MetaBatch batch) {
    long end = lengthBytes();
    long full = end - end % chunkBytes;
    for (long at = writtenBytes; at < full; at += chunkBytes) {
      batch.put(keys.chunk(at / chunkBytes), tailBytes(at, chunkBytes));
    }
    Bytes lastRows = tailBytes(full, (int) (end - full));
    batch.put(keys.head(), head(ArrayHead.Kind.META, lastRows));
    writtenBytes = full;
    tail = tail.trimmed(end);
  }

  private void saveFile(FileRows file, MetaBatch batch) throws IOException {
    flush(file);
    file.force();
    batch.put(keys.head(), head(ArrayHead.Kind.FILE, Bytes.EMPTY));
  }

  private void promote(MetaBatch batch) throws IOException, CorruptStreamException {
    FileRows file = new FileRows(store.files(), id);
    file.startOver();
    copyTo(file);
    file.force();
    file.forceEntries(store.disk());
    for (long at = 0; at < writtenBytes; at += chunkBytes) {
      batch.delete(keys.chunk(at / chunkBytes));
    }
    batch.put(keys.head(), head(ArrayHead.Kind.FILE, Bytes.EMPTY));
    writtenBytes = lengthBytes();
    backing = file;
    tail = Tail.empty(writtenBytes, chunkBytes);
  }

  private void copyTo(FileRows file) throws IOException, CorruptStreamException {
    int rowsPerCopy = Math.max(1, COPY_BYTES / rowBytes);
    byte[] buffer = new byte[rowsPerCopy * rowBytes];
    for (long row = 0; row < rowCount; row += rowsPerCopy) {
      int count = (int) Math.min(rowsPerCopy, rowCount - row);
      read(row, count, buffer, 0);
      file.write(row * rowBytes, ByteBuffer.wrap(buffer, 0, count * rowBytes));
    }
  }

  private void flush(FileRows file) throws IOException {
    long end = lengthBytes();
    file.write(writtenBytes, ByteBuffer.wrap(tailArray(writtenBytes, (int) (end - writtenBytes))));
    writtenBytes = end;
    tail = Tail.empty(end, chunkBytes);
  }

  private Bytes head(ArrayHead.Kind kind, Bytes lastRows) {
    return new ArrayHead(kind, rowBytes, rowCount, lastRows).encode();
  }

  private Bytes tailBytes(long position, int count) {
    return Bytes.wrap(tailArray(position, count));
  }

  private byte[] tailArray(long position, int count) {
    byte[] bytes = new byte[count];
    tail.read(position, bytes, 0, count);
    return bytes;
  }

  private long lengthBytes() {
    return rowCount * rowBytes;
  }

  private void checkUsable() {
    if (closed || failed) {
      throw new IllegalStateException("array " + id + (closed ? " is closed" : " has failed"));
    }
  }

  /// Lets go of the array; rows that no savepoint holds are gone. Readers that still have it may
  /// finish, unless it is opened again and moves to a file meanwhile. For the owner, after the
  /// batch of the last savepoint was written.
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      store.closed(id);
    }
  }
}

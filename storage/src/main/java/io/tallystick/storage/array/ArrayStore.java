package io.tallystick.storage.array;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The arrays of one shard. A closed array costs no memory and no descriptor; one that was never
/// written costs nothing. Thread-safe; each array has one owner thread.
///
/// **Savepoint contract** (`docs/formats/savepoint.md`): {@link AppendArray#savepoint} writes and
/// forces the array's file and puts its rows into the caller's batch; the batch, written once by
/// the caller, is the only commit point. If that write fails the store is closed and opened again.
/// What was appended since the last written batch is lost with the process and appended again by
/// replay.
public final class ArrayStore implements AutoCloseable {
  private static final int ROW_BYTES_MAX = 1 << 20;

  private final Disk disk;
  private final MetaStore meta;
  private final ArrayLimits limits;
  private final OpenFiles files;
  private final Set<ArrayId> open = ConcurrentHashMap.newKeySet();

  /// @param disk not closed by this store, nor `meta`
  public ArrayStore(Disk disk, MetaStore meta, ArrayLimits limits) {
    this.disk = disk;
    this.meta = meta;
    this.limits = limits;
    this.files = new OpenFiles(disk, limits.openFilesMax());
  }

  /// Opens an array as its last savepoint left it; empty if it never had one. A file is cut to the
  /// recorded length.
  ///
  /// @throws CorruptStreamException if the file is shorter than recorded, or the head row is not
  ///   one of `rowBytes` rows
  /// @throws IllegalStateException if the array is open: it has one owner
  public AppendArray open(ArrayId id, int rowBytes) throws IOException, CorruptStreamException {
    if (rowBytes < 1 || rowBytes > ROW_BYTES_MAX) {
      throw new IllegalArgumentException("rows of " + rowBytes + " bytes");
    }
    if (!open.add(id)) {
      throw new IllegalStateException("array " + id + " is already open");
    }
    try {
      return new AppendArray(this, id, restoreHead(id, rowBytes));
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      open.remove(id);
      throw e;
    }
  }

  private ArrayHead restoreHead(ArrayId id, int rowBytes)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(new ArrayKeys(id).head());
    if (row == null) {
      return new ArrayHead(ArrayHead.Kind.META, rowBytes, 0, Bytes.EMPTY);
    }
    ArrayHead head = ArrayHead.decode(id, row, rowBytes);
    if (head.kind() == ArrayHead.Kind.FILE) {
      new FileRows(files, id).cutTo(head.rowCount() * rowBytes);
    }
    return head;
  }

  /// Makes an array that is not open empty with `batch`: its rows of the meta store are deleted. A
  /// file stays until the array moves to a file again, which starts it over.
  public void erase(ArrayId id, MetaBatch batch) throws IOException {
    if (open.contains(id)) {
      throw new IllegalStateException("array " + id + " is open");
    }
    meta.scan(
        new ArrayKeys(id).all(),
        null,
        (key, _) -> {
          batch.delete(key);
          return true;
        });
  }

  /// The folder that all files of arrays are below, one folder for each strand.
  public static final String FOLDER = ArrayId.ROOT_DIRECTORY;

  /// Whether a row of the meta store is of an array of this name, of any strand.
  public static boolean isRow(Bytes key, String array) {
    return ArrayKeys.nameIn(key).equals(array);
  }

  /// The name, without its folder, of an array's file.
  public static String fileName(String array) {
    return array + ArrayId.SUFFIX;
  }

  Disk disk() {
    return disk;
  }

  MetaStore meta() {
    return meta;
  }

  ArrayLimits limits() {
    return limits;
  }

  OpenFiles files() {
    return files;
  }

  void closed(ArrayId id) {
    open.remove(id);
  }

  /// Closes the files; rows that no savepoint holds are gone.
  @Override
  public void close() throws IOException {
    files.close();
  }
}

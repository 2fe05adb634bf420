package io.tallystick.storage.meta;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.disk.OwnerOnly;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// A {@link MetaStore} in RocksDB: write-ahead log on, every batch synced. Calls block on native
/// code and files, so they belong on platform threads. Memory: {@link RocksOptions}.
public final class RocksMetaStore implements MetaStore {
  /// Room that opening needs at most: what the write-ahead log holds goes to files.
  private static final int OPEN_MEBIBYTES = 64;

  private final RocksOptions options;
  private final WriteOptions synced = new WriteOptions().setSync(true).setDisableWAL(false);
  private final Path directory;

  /// Null if it could not be opened again after a failed write.
  private volatile @Nullable RocksDB db;

  /// Held shared by calls and alone by close: native code must not run on a closed handle.
  private final ReadWriteLock inUse = new ReentrantReadWriteLock();

  private volatile boolean closed;
  private volatile boolean dead;

  private RocksMetaStore(Path directory, RocksOptions options, RocksDB db) {
    this.directory = directory;
    this.options = options;
    this.db = db;
  }

  /// Loads the native library, if no one has: some 0.1 s.
  ///
  /// @param folder where it is, or is unpacked to and stays
  public static void loadLibrary(Path folder) {
    RocksLibrary.load(folder);
  }

  /// Opens the database in `directory`, creating it if needed.
  ///
  /// @throws DiskFullException if there is no room to open it; says what to do
  /// @throws IOException if it is damaged, or open elsewhere
  public static RocksMetaStore open(Path directory) throws IOException {
    RocksLibrary.load();
    OwnerOnly.createDirectories(directory);
    RocksOptions options = new RocksOptions();
    try {
      RocksDB db = open(options, directory); // holds the directory from now on
      return forgetting(new RocksMetaStore(directory, options, db));
    } catch (DiskFullException e) {
      options.close();
      throw new DiskFullException(
          e.getMessage()
              + String.format(
                  Locale.ROOT,
                  "; free some room on that disk (%d MiB is enough) and start again",
                  OPEN_MEBIBYTES),
          e);
    } catch (IOException | RuntimeException e) {
      options.close();
      throw e;
    }
  }

  private static RocksMetaStore forgetting(RocksMetaStore opened) throws IOException {
    try {
      LinkedRows.forget(opened.directory);
      return opened;
    } catch (IOException e) {
      opened.close();
      throw e;
    }
  }

  private static RocksDB open(RocksOptions options, Path directory) throws IOException {
    try {
      return RocksDB.open(options.options(), directory.toString());
    } catch (RocksDBException e) {
      throw failure("cannot open the meta store in " + directory, e);
    }
  }

  @Override
  public @Nullable Bytes get(Bytes key) throws IOException {
    RocksDB rows = enter();
    try {
      byte[] value = rows.get(key.unsafeArray());
      return value == null ? null : Bytes.wrap(value);
    } catch (RocksDBException e) {
      throw failure("cannot read row " + key, e);
    } finally {
      inUse.readLock().unlock();
    }
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    RocksDB all = enter();
    try (RocksIterator rows = all.newIterator()) {
      seek(rows, prefix, after);
      boolean more = true;
      while (more && rows.isValid() && startsWith(rows.key(), prefix)) {
        more = visitor.row(Bytes.wrap(rows.key()), Bytes.wrap(rows.value()));
        rows.next();
      }
      rows.status();
    } catch (RocksDBException e) {
      throw failure("cannot scan rows " + prefix, e);
    } finally {
      inUse.readLock().unlock();
    }
  }

  @Override
  public void write(MetaBatch batch) throws IOException {
    RocksDB all = enter();
    try (WriteBatch rows = new WriteBatch()) {
      if (dead) {
        throw new IOException("the meta store is dead: an earlier write failed");
      }
      for (MetaBatch.Change change : batch.changes()) {
        switch (change) {
          case MetaBatch.Change.Put(Bytes key, Bytes value) ->
              rows.put(key.unsafeArray(), value.unsafeArray());
          case MetaBatch.Change.Delete(Bytes key) -> rows.delete(key.unsafeArray());
        }
      }
      all.write(synced, rows);
    } catch (RocksDBException e) {
      dead = true;
      throw failure("cannot write a batch", e);
    } finally {
      inUse.readLock().unlock();
    }
  }

  @Override
  public MetaCheckpoint checkpoint() throws IOException {
    RocksDB all = enter();
    try {
      return LinkedRows.of(all, directory);
    } catch (RocksDBException e) {
      throw failure("cannot make a checkpoint", e);
    } finally {
      inUse.readLock().unlock();
    }
  }

  @Override
  public void close() throws IOException {
    inUse.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        if (db != null) {
          db.closeE();
        }
        synced.close();
        options.close();
      }
    } catch (RocksDBException e) {
      throw new IOException("cannot close the meta store", e);
    } finally {
      inUse.writeLock().unlock();
    }
  }

  /// RocksDB takes no write after a failed one; opened again, it shows whether the batch is there.
  @Override
  public void reopen() throws IOException {
    inUse.writeLock().lock();
    try {
      if (closed) {
        throw new IOException("the meta store is closed");
      }
      if (!dead) {
        return;
      }
      RocksDB failed = db;
      db = null;
      if (failed != null) {
        failed.close();
      }
      db = open(options, directory);
      dead = false;
    } finally {
      inUse.writeLock().unlock();
    }
  }

  /// Takes the shared lock, to be given back by the caller.
  private RocksDB enter() throws IOException {
    inUse.readLock().lock();
    RocksDB open = db;
    if (closed || open == null) {
      inUse.readLock().unlock();
      throw new IOException("the meta store is closed");
    }
    return open;
  }

  private static IOException failure(String what, RocksDBException e) {
    Status status = e.getStatus();
    String why = String.valueOf(e.getMessage());
    boolean full =
        (status != null && status.getSubCode() == Status.SubCode.NoSpace)
            || why.contains("No space left");
    String message = what + ": " + why;
    return full ? new DiskFullException(message, e) : new IOException(message, e);
  }

  private static void seek(RocksIterator rows, Bytes prefix, @Nullable Bytes after) {
    if (after == null || after.compareTo(prefix) < 0) {
      rows.seek(prefix.unsafeArray());
      return;
    }
    rows.seek(after.unsafeArray());
    if (rows.isValid() && Arrays.equals(rows.key(), after.unsafeArray())) {
      rows.next();
    }
  }

  private static boolean startsWith(byte[] key, Bytes prefix) {
    return key.length >= prefix.size()
        && Arrays.equals(key, 0, prefix.size(), prefix.unsafeArray(), 0, prefix.size());
  }
}

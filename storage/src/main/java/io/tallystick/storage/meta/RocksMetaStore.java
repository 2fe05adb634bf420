package io.tallystick.storage.meta;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// A {@link MetaStore} in RocksDB: write-ahead log on, every batch synced. Calls block on native
/// code and files, so they belong on platform threads. Memory: {@link RocksOptions}.
public final class RocksMetaStore implements MetaStore {
  static {
    loadLibrary();
  }

  private final RocksOptions options;
  private final WriteOptions synced = new WriteOptions().setSync(true).setDisableWAL(false);
  private final RocksDB db;

  /// Held shared by calls and alone by close: native code must not run on a closed handle.
  private final ReadWriteLock inUse = new ReentrantReadWriteLock();

  private volatile boolean closed;
  private volatile boolean dead;

  private RocksMetaStore(RocksOptions options, RocksDB db) {
    this.options = options;
    this.db = db;
  }

  /// Unpacks and loads the native library, if no one has: some 0.1 s.
  public static void loadLibrary() {
    RocksDB.loadLibrary();
  }

  /// Opens the database in `directory`, creating it if needed.
  ///
  /// @throws IOException if it is damaged, or open elsewhere
  public static RocksMetaStore open(Path directory) throws IOException {
    Files.createDirectories(directory);
    RocksOptions options = new RocksOptions();
    try {
      Options open = options.options();
      return new RocksMetaStore(options, RocksDB.open(open, directory.toString()));
    } catch (RocksDBException e) {
      options.close();
      throw new IOException("cannot open the meta store in " + directory, e);
    }
  }

  @Override
  public @Nullable Bytes get(Bytes key) throws IOException {
    enter();
    try {
      byte[] value = db.get(key.unsafeArray());
      return value == null ? null : Bytes.wrap(value);
    } catch (RocksDBException e) {
      throw new IOException("cannot read row " + key, e);
    } finally {
      inUse.readLock().unlock();
    }
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    enter();
    try (RocksIterator rows = db.newIterator()) {
      seek(rows, prefix, after);
      boolean more = true;
      while (more && rows.isValid() && startsWith(rows.key(), prefix)) {
        more = visitor.row(Bytes.wrap(rows.key()), Bytes.wrap(rows.value()));
        rows.next();
      }
      rows.status();
    } catch (RocksDBException e) {
      throw new IOException("cannot scan rows " + prefix, e);
    } finally {
      inUse.readLock().unlock();
    }
  }

  @Override
  public void write(MetaBatch batch) throws IOException {
    enter();
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
      db.write(synced, rows);
    } catch (RocksDBException e) {
      dead = true;
      throw new IOException("cannot write a batch", e);
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
        db.closeE();
        synced.close();
        options.close();
      }
    } catch (RocksDBException e) {
      throw new IOException("cannot close the meta store", e);
    } finally {
      inUse.writeLock().unlock();
    }
  }

  private void enter() throws IOException {
    inUse.readLock().lock();
    if (closed) {
      inUse.readLock().unlock();
      throw new IOException("the meta store is closed");
    }
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

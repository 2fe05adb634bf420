package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaCheckpoint;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The rows of a shard's folder, whose files others may take the place of while nobody uses them.
final class FolderRows implements MetaStore {
  private final Path directory;
  private volatile RocksMetaStore rows;

  /// A change of the files that is not known to be done; guarded by this.
  private @Nullable Change pending;

  private FolderRows(Path directory, RocksMetaStore rows) {
    this.directory = directory;
    this.rows = rows;
  }

  static FolderRows open(Path directory) throws IOException {
    return new FolderRows(directory, RocksMetaStore.open(directory));
  }

  /// Changes the files.
  interface Change {
    void run() throws IOException;
  }

  /// Has the files changed and opens what is there then. If that fails, {@link #reopen} does it.
  ///
  /// @param files can be run again after a failure
  synchronized void change(Change files) throws IOException {
    rows.close();
    pending = files;
    reopen();
  }

  @Override
  public synchronized void reopen() throws IOException {
    Change files = pending;
    if (files == null) {
      rows.reopen();
      return;
    }
    files.run();
    rows = RocksMetaStore.open(directory);
    pending = null;
  }

  @Override
  public @Nullable Bytes get(Bytes key) throws IOException {
    return rows.get(key);
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    rows.scan(prefix, after, visitor);
  }

  @Override
  public void write(MetaBatch batch) throws IOException {
    rows.write(batch);
  }

  @Override
  public MetaCheckpoint checkpoint() throws IOException {
    return rows.checkpoint();
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}

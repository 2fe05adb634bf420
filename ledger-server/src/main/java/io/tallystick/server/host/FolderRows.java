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
  private boolean away; // guarded by this

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

  /// Has the files changed and opens what is there then. If that fails, {@link #reopen} opens it.
  synchronized void change(Change files) throws IOException {
    rows.close();
    away = true;
    files.run();
    reopen();
  }

  @Override
  public synchronized void reopen() throws IOException {
    if (away) {
      rows = RocksMetaStore.open(directory);
      away = false;
    } else {
      rows.reopen();
    }
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

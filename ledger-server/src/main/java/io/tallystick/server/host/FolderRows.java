package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaCheckpoint;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The rows of a shard's folder, whose files others may take the place of while nobody uses them.
final class FolderRows implements MetaStore {
  private static final Logger LOG = LoggerFactory.getLogger(FolderRows.class);

  private final Opener opener;
  private volatile MetaStore rows;

  /// A change of the files that is not known to be done; guarded by this.
  private @Nullable Change pending;

  private FolderRows(Opener opener, MetaStore rows) {
    this.opener = opener;
    this.rows = rows;
  }

  static FolderRows open(Path directory) throws IOException {
    return open(() -> RocksMetaStore.open(directory));
  }

  static FolderRows open(Opener opener) throws IOException {
    return new FolderRows(opener, opener.open());
  }

  /// Opens the rows that are in the folder.
  interface Opener {
    MetaStore open() throws IOException;
  }

  /// Changes the files.
  interface Change {
    void run() throws IOException;
  }

  /// Has the files changed and opens what is there then. If that fails, {@link #reopen} does it.
  ///
  /// @param files can be run again after a failure
  synchronized void change(Change files) throws IOException {
    pending = files; // first: whatever fails, it is run before the rows are opened
    try {
      rows.close();
    } catch (IOException e) {
      LOG.warn("rows that are about to be replaced did not close cleanly: {}", e.toString());
    }
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
    rows = opener.open();
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

package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A meta store whose disk a test may fill up. As RocksDB does, it takes nothing after a failed
/// write until it is opened again.
final class FillableMetaStore implements MetaStore {
  private final MetaStore rows;
  volatile boolean full;
  private volatile boolean dead;

  FillableMetaStore(MetaStore rows) {
    this.rows = rows;
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
    if (dead) {
      throw new IOException("an earlier write failed");
    }
    if (full) {
      dead = true;
      throw new DiskFullException("no room for a batch");
    }
    rows.write(batch);
  }

  @Override
  public void reopen() {
    dead = false;
  }

  @Override
  public void close() throws IOException {
    rows.close();
  }
}

package io.tallystick.storage.meta;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskOperation.Kind;
import io.tallystick.storage.disk.DiskOperations;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Does what another store does and says so among the operations of the disk that it lies on.
public final class WatchedMetaStore implements MetaStore {
  private final MetaStore store;
  private final DiskOperations operations;
  private final String name;

  /// @param store closed with this
  /// @param name by which an operation names it
  public WatchedMetaStore(MetaStore store, DiskOperations operations, String name) {
    this.store = store;
    this.operations = operations;
    this.name = name;
  }

  @Override
  public @Nullable Bytes get(Bytes key) throws IOException {
    try (var _ = operations.begin(Kind.READ, name)) {
      return store.get(key);
    }
  }

  /// Not watched: the visitor's own work is part of it.
  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    store.scan(prefix, after, visitor);
  }

  @Override
  public void write(MetaBatch batch) throws IOException {
    try (var _ = operations.begin(Kind.WRITE, name)) {
      store.write(batch);
    }
  }

  @Override
  public MetaCheckpoint checkpoint() throws IOException {
    return store.checkpoint();
  }

  @Override
  public void reopen() throws IOException {
    store.reopen();
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}

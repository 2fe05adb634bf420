package io.tallystick.server.shard;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/// The meta store as the tables of one opening of a shard see it. It ends with the opening: a call
/// that is under way then is finished first, and later ones fail. So the tables of the next opening
/// begin with every row that a table of this one has written. Thread-safe.
final class TableRows implements MetaStore {
  private final MetaStore meta;

  /// Held shared by calls and alone by close.
  private final ReadWriteLock inUse = new ReentrantReadWriteLock();

  private boolean closed;

  TableRows(MetaStore meta) {
    this.meta = meta;
  }

  /// A call that ends before the opening does.
  interface Call<T extends @Nullable Object> {
    T call() throws IOException;
  }

  /// @throws IOException also if the opening has ended
  <T extends @Nullable Object> T use(Call<T> call) throws IOException {
    inUse.readLock().lock();
    try {
      if (closed) {
        throw new IOException("the shard has closed its tables, to open itself again or for good");
      }
      return call.call();
    } finally {
      inUse.readLock().unlock();
    }
  }

  @Override
  public @Nullable Bytes get(Bytes key) throws IOException {
    return this.<@Nullable Bytes>use(() -> meta.get(key));
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    var _ =
        use(() -> {
          meta.scan(prefix, after, visitor);
          return true;
        });
  }

  @Override
  public void write(MetaBatch batch) throws IOException {
    var _ =
        use(() -> {
          meta.write(batch);
          return true;
        });
  }

  /// Waits for the calls that are under way. The store stays open.
  @Override
  public void close() {
    inUse.writeLock().lock();
    try {
      closed = true;
    } finally {
      inUse.writeLock().unlock();
    }
  }
}

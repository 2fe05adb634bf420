package io.tallystick.server.shard;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A meta store whose rows a test replaces as a whole, or makes unreadable.
final class ReplacedMetaStore implements MetaStore {
  InMemoryMetaStore rows = new InMemoryMetaStore();

  /// Why each scan fails; null if that is to succeed.
  @Nullable String scanFails;

  @Override
  public @Nullable Bytes get(Bytes key) {
    return rows.get(key);
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    if (scanFails != null) {
      throw new IOException(scanFails);
    }
    rows.scan(prefix, after, visitor);
  }

  @Override
  public void write(MetaBatch batch) throws IOException {
    rows.write(batch);
  }

  @Override
  public void close() {}
}

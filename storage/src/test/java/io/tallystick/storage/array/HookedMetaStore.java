package io.tallystick.storage.array;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// A meta store in memory that does something just before it answers a get.
final class HookedMetaStore implements MetaStore {
  private final InMemoryMetaStore rows = new InMemoryMetaStore();

  /// Run once.
  @Nullable Callable<?> beforeNextGet;

  @Override
  public @Nullable Bytes get(Bytes key) throws IOException {
    Callable<?> hook = beforeNextGet;
    beforeNextGet = null;
    if (hook != null) {
      run(hook);
    }
    return rows.get(key);
  }

  private static void run(Callable<?> hook) throws IOException {
    try {
      hook.call();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    rows.scan(prefix, after, visitor);
  }

  @Override
  public void write(MetaBatch batch) {
    rows.write(batch);
  }

  @Override
  public void close() {}
}

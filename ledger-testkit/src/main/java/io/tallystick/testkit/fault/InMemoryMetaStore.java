package io.tallystick.testkit.fault;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A {@link MetaStore} in memory. Closing loses nothing: a test may go on with the same object as
/// if it had been opened again. Thread-safe.
public final class InMemoryMetaStore implements MetaStore {
  private final TreeMap<Bytes, Bytes> rows = new TreeMap<>();

  public InMemoryMetaStore() {}

  /// A copy that lives on its own.
  public synchronized InMemoryMetaStore copy() {
    InMemoryMetaStore copy = new InMemoryMetaStore();
    copy.rows.putAll(rows);
    return copy;
  }

  @Override
  public synchronized @Nullable Bytes get(Bytes key) {
    return rows.get(key);
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    for (Map.Entry<Bytes, Bytes> row : rowsAfter(prefix, after).entrySet()) {
      if (!startsWith(row.getKey(), prefix) || !visitor.row(row.getKey(), row.getValue())) {
        return;
      }
    }
  }

  @Override
  public synchronized void write(MetaBatch batch) {
    for (MetaBatch.Change change : batch.changes()) {
      switch (change) {
        case MetaBatch.Change.Put(Bytes key, Bytes value) -> rows.put(key, value);
        case MetaBatch.Change.Delete(Bytes key) -> rows.remove(key);
      }
    }
  }

  @Override
  public void close() {}

  private synchronized Map<Bytes, Bytes> rowsAfter(Bytes prefix, @Nullable Bytes after) {
    boolean fromPrefix = after == null || after.compareTo(prefix) < 0;
    return new TreeMap<>(fromPrefix ? rows.tailMap(prefix, true) : rows.tailMap(after, false));
  }

  private static boolean startsWith(Bytes key, Bytes prefix) {
    return key.size() >= prefix.size()
        && Arrays.equals(
            key.unsafeArray(), 0, prefix.size(), prefix.unsafeArray(), 0, prefix.size());
  }
}

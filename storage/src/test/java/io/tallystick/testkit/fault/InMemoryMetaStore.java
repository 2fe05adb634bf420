package io.tallystick.testkit.fault;

import io.tallystick.model.Bytes;
import io.tallystick.storage.meta.ListedRows;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A {@link MetaStore} in memory. Closing loses nothing: a test may go on with the same object as
/// if it had been opened again. Thread-safe.
public final class InMemoryMetaStore implements MetaStore {
  /// Never changed, only replaced: copies share it, and a scan sees one moment.
  private volatile Rows rows = new Rows(new Bytes[0], new Bytes[0], 0);

  public InMemoryMetaStore() {}

  /// A copy that lives on its own.
  public InMemoryMetaStore copy() {
    InMemoryMetaStore copy = new InMemoryMetaStore();
    copy.rows = rows;
    return copy;
  }

  @Override
  public @Nullable Bytes get(Bytes key) {
    return rows.get(key);
  }

  @Override
  public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
    Rows now = rows;
    int at = now.firstNotBefore(prefix);
    if (after != null && after.compareTo(prefix) >= 0) {
      at = now.firstNotBefore(after);
      at += at < now.count && now.keys[at].equals(after) ? 1 : 0;
    }
    while (at < now.count
        && startsWith(now.keys[at], prefix)
        && visitor.row(now.keys[at], now.values[at])) {
      at++;
    }
  }

  @Override
  public synchronized void write(MetaBatch batch) {
    // The last change of a key counts.
    TreeMap<Bytes, MetaBatch.Change> changes = new TreeMap<>();
    for (MetaBatch.Change change : batch.changes()) {
      switch (change) {
        case MetaBatch.Change.Put(Bytes key, Bytes _) -> changes.put(key, change);
        case MetaBatch.Change.Delete(Bytes key) -> changes.put(key, change);
      }
    }
    rows = rows.with(changes);
  }

  @Override
  public void close() {}

  private static boolean startsWith(Bytes key, Bytes prefix) {
    return key.size() >= prefix.size()
        && Arrays.equals(
            key.unsafeArray(), 0, prefix.size(), prefix.unsafeArray(), 0, prefix.size());
  }

  /// Rows in order of their keys; the first `count` elements.
  private static final class Rows {
    final Bytes[] keys;
    final Bytes[] values;
    final int count;

    Rows(Bytes[] keys, Bytes[] values, int count) {
      this.keys = keys;
      this.values = values;
      this.count = count;
    }

    int firstNotBefore(Bytes key) {
      int found = Arrays.binarySearch(keys, 0, count, key);
      return found < 0 ? -found - 1 : found;
    }

    @Nullable Bytes get(Bytes key) {
      int found = Arrays.binarySearch(keys, 0, count, key);
      return found < 0 ? null : values[found];
    }

    Rows with(SortedMap<Bytes, MetaBatch.Change> changes) {
      Bytes[] newKeys = new Bytes[count + changes.size()];
      Bytes[] newValues = new Bytes[newKeys.length];
      int from = 0;
      int to = 0;
      for (Map.Entry<Bytes, MetaBatch.Change> change : changes.entrySet()) {
        int at = firstNotBefore(change.getKey());
        System.arraycopy(keys, from, newKeys, to, at - from);
        System.arraycopy(values, from, newValues, to, at - from);
        to += at - from;
        from = at < count && keys[at].equals(change.getKey()) ? at + 1 : at;
        if (change.getValue() instanceof MetaBatch.Change.Put(Bytes key, Bytes value)) {
          newKeys[to] = key;
          newValues[to++] = value;
        }
      }
      System.arraycopy(keys, from, newKeys, to, count - from);
      System.arraycopy(values, from, newValues, to, count - from);
      return new Rows(newKeys, newValues, to + count - from);
    }
  }

  /// A store with the rows of a checkpoint that lists them.
  static InMemoryMetaStore opened(Map<String, byte[]> files) throws IOException {
    InMemoryMetaStore rows = new InMemoryMetaStore();
    ListedRows.read(Objects.requireNonNull(files.get(ListedRows.NAME)), rows);
    return rows;
  }
}

package io.tallystick.storage.meta;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An ordered map of byte strings with one kind of write: an atomic, synced batch, the commit point
/// of a savepoint. Thread-safe. Source: `docs/formats/savepoint.md`.
public interface MetaStore extends AutoCloseable {
  @Nullable Bytes get(Bytes key) throws IOException;

  /// Visits the rows whose key starts with `prefix` and is greater than `after` (null: from the
  /// first), ascending bytewise unsigned, until the visitor answers false.
  void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException;

  /// All rows whose key starts with `prefix`, ascending: of a table that fits into memory.
  default Map<Bytes, Bytes> rows(Bytes prefix) throws IOException {
    Map<Bytes, Bytes> rows = new LinkedHashMap<>();
    scan(
        prefix,
        null,
        (key, value) -> {
          rows.put(key, value);
          return true;
        });
    return rows;
  }

  /// All of `batch` or nothing, durable on return. After an exception the outcome is unknown until
  /// {@link #reopen}, and no other batch is taken before.
  ///
  /// @throws io.tallystick.storage.disk.DiskFullException if there was no room
  void write(MetaBatch batch) throws IOException;

  /// Opens the store again after a failed write; does nothing when none has failed. If it fails,
  /// nothing can be read until it has been called again with success.
  default void reopen() throws IOException {}

  /// All rows as of now. One at a time: to be closed before the next.
  default MetaCheckpoint checkpoint() throws IOException {
    return ListedRows.of(this);
  }

  @Override
  void close() throws IOException;

  /// Receives rows of a scan.
  @FunctionalInterface
  interface RowVisitor {
    /// @return whether to go on
    boolean row(Bytes key, Bytes value) throws IOException;
  }
}

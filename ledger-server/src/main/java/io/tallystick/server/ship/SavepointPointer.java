package io.tallystick.server.ship;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;

/// Names the savepoints of one shard that count. The owner of the shard changes it, anyone reads
/// it, and pins what it reads. Thread-safe.
public interface SavepointPointer {
  /// Epoch of the claim on the shard under which this process acts.
  ///
  /// @throws io.tallystick.storage.stream.StreamFencedException if it has none
  long epoch() throws IOException;

  /// Newest first; none if nothing was published.
  List<PublishedSavepoint> read() throws IOException, CorruptStreamException;

  /// Names these and no other, if the caller owns the shard still and has {@link #read} or
  /// published what is replaced.
  ///
  /// @param epoch of the claim under which they were shipped
  /// @param newestFirst at least one
  /// @throws io.tallystick.storage.stream.StreamFencedException if another claim was made since;
  ///   nothing is changed
  /// @throws IOException the change may have been made
  void publish(long epoch, List<PublishedSavepoint> newestFirst)
      throws IOException, CorruptStreamException;

  /// Keeps a savepoint from being deleted until the result is closed, or the process ends. It holds
  /// if {@link #read} names the savepoint afterwards.
  Pin pin(PublishedSavepoint savepoint) throws IOException;

  /// Keeps a savepoint from being deleted.
  interface Pin extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  /// Savepoints that are pinned, with the times of the pins.
  List<PublishedSavepoint> pinned() throws IOException, CorruptStreamException;
}

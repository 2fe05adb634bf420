package io.tallystick.bench.clue;

import io.tallystick.model.Digest;
import java.io.IOException;

/// One of the two that are measured.
interface ClueStore extends AutoCloseable {
  /// Inserts entries `[from, to)` of the load.
  void insert(ClueLoad load, int from, int to) throws Exception;

  /// Makes what was inserted durable.
  void save() throws Exception;

  /// The newest jsn of a clue that is not above `jsn`, plus the first byte of its leaf hash; 0 if
  /// there is none.
  long latest(Digest clueId, long jsn) throws Exception;

  /// Bytes in its folder.
  long diskBytes() throws Exception;

  @Override
  void close() throws IOException;
}

package io.tallystick.server.ship;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// Keeps the pieces of one shard's savepoints. What one savepoint adds is a part, which is deleted
/// as a whole. Nothing in a part counts before a {@link SavepointPointer} leads to it. Thread-safe.
public interface SavepointStore {
  /// Begins a part.
  ///
  /// @param epoch of the owner that makes it
  Upload begin(long epoch) throws IOException;

  /// The bytes of a piece, compared with its name.
  ///
  /// @throws SavepointRefusedException `MISSING` or `DAMAGED`, naming the piece
  ByteBuffer get(ShippedPiece piece) throws IOException, SavepointRefusedException;

  /// The parts that there are, unfinished ones too.
  List<Part> list() throws IOException;

  /// Deletes a part; one that is not there is no error.
  void delete(Bytes part) throws IOException;

  /// @param epoch of the owner that made it
  record Part(Bytes id, long epoch) {}

  /// Writes one part. One thread's.
  interface Upload extends AutoCloseable {
    Bytes part();

    /// @param name SHA-256 of the bytes
    ShippedPiece put(Digest name, ByteBuffer bytes) throws IOException;

    /// All that was put is durable on return.
    void finish() throws IOException;

    /// Without {@link #finish} before, the part is garbage.
    @Override
    void close() throws IOException;
  }
}

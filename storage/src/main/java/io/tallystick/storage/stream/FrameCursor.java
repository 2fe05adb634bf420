package io.tallystick.storage.stream;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Walks frames in order. Not thread-safe.
public interface FrameCursor extends AutoCloseable {
  /// Moves to the next frame; false at the durable end.
  ///
  /// @throws CorruptStreamException naming file and offset if header, info or notes section is
  ///   damaged
  boolean next() throws IOException, CorruptStreamException;

  StreamPosition position();

  long epoch();

  /// The info section of the present frame, read-only, valid until the next call of {@link #next}.
  ByteBuffer infos();

  /// The notes section of the present frame, likewise.
  ByteBuffer notes();

  /// Offset of the payload section from the first byte of the frame.
  int payloadOffset();

  int payloadBytes();

  /// The boundary behind the present frame.
  StreamPosition after();

  @Override
  void close() throws IOException;
}

package io.tallystick.storage.object;

import io.tallystick.model.Digest;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Writes one object. One thread's. What is closed before it is finished leaves nothing.
public interface ObjectWriter extends AutoCloseable {
  /// Writes what follows; consumes the buffer.
  void write(ByteBuffer bytes) throws IOException;

  /// The object is durable on return, also if the same one was there before.
  ///
  /// @return its name
  Digest finish() throws IOException;

  @Override
  void close() throws IOException;
}

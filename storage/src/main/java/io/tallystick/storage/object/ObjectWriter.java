package io.tallystick.storage.object;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Writes one object of at least one byte. One thread's. What is closed before it is finished is no
/// object.
public interface ObjectWriter extends AutoCloseable {
  /// Writes what follows; consumes the buffer.
  void write(ByteBuffer bytes) throws IOException;

  /// The object is durable on return, also if the same one was there before.
  KeptObject finish() throws IOException;

  @Override
  void close() throws IOException;
}

package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Writes a file from its first byte on, many bytes at once. The caller opens and closes the file.
/// One thread's.
public final class FileAppender {
  private static final int BUFFER_BYTES = 256 << 10;

  private final DiskFile file;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private long flushed;

  /// @param file empty
  public FileAppender(DiskFile file) {
    this.file = file;
  }

  /// Where the next byte goes.
  public long position() {
    return flushed + buffer.position();
  }

  public void put(byte[] bytes) throws IOException {
    if (buffer.remaining() < bytes.length) {
      flush();
    }
    if (buffer.remaining() < bytes.length) {
      file.write(flushed, ByteBuffer.wrap(bytes));
      flushed += bytes.length;
    } else {
      buffer.put(bytes);
    }
  }

  private void flush() throws IOException {
    buffer.flip();
    int count = buffer.remaining();
    file.write(flushed, buffer);
    flushed += count;
    buffer.clear();
  }

  /// Forced on return.
  public void finish() throws IOException {
    flush();
    file.force();
  }
}

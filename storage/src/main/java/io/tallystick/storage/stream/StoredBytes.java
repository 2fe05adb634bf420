package io.tallystick.storage.stream;

import io.tallystick.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// Bytes of a file that must be there.
public final class StoredBytes {
  private StoredBytes() {}

  /// @param at in bytes from the start of the file
  /// @throws CorruptStreamException if the file ends before `count` bytes
  public static byte[] read(DiskFile file, long at, int count)
      throws IOException, CorruptStreamException {
    byte[] bytes = new byte[count];
    int read = file.read(at, ByteBuffer.wrap(bytes));
    if (read != count) {
      throw new CorruptStreamException(
          file.name(),
          at,
          String.format(Locale.ROOT, "file ends after %d bytes of %d", read, count));
    }
    return bytes;
  }
}

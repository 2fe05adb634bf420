package io.tallystick.storage.object;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// An object to read. A later deletion changes nothing of it.
public final class StoredObject implements AutoCloseable {
  private final Digest name;
  private final DiskFile file;

  StoredObject(Digest name, DiskFile file) {
    this.name = name;
    this.file = file;
  }

  /// All of it, compared with its name.
  ///
  /// @param bytesMax a longer one is damaged
  /// @throws CorruptStreamException if these are not the bytes that it is named by
  public Bytes whole(int bytesMax) throws IOException, CorruptStreamException {
    long size = file.size();
    if (size > bytesMax) {
      throw new CorruptStreamException(
          file.name(), 0, String.format(Locale.ROOT, "%d bytes, want at most %d", size, bytesMax));
    }
    byte[] bytes = new byte[(int) size];
    int read = file.read(0, ByteBuffer.wrap(bytes));
    Digest found = Digest.of(Sha256.newDigest().digest(bytes));
    if (read != bytes.length || !found.equals(name)) {
      throw new CorruptStreamException(
          file.name(), 0, String.format(Locale.ROOT, "%d bytes with SHA-256 %s", read, found));
    }
    return Bytes.wrap(bytes);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}

package io.tallystick.storage.array;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/// A large array's file: row `i` at `rowBytes * i`, nothing else in it.
final class FileRows implements Backing {
  private final OpenFiles files;
  private final ArrayId id;
  private final String name;

  FileRows(OpenFiles files, ArrayId id) {
    this.files = files;
    this.id = id;
    this.name = id.fileName();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void read(long position, byte[] into, int offset, int count)
      throws IOException, CorruptStreamException {
    int read = files.read(name, position, ByteBuffer.wrap(into, offset, count));
    if (read != count) {
      throw new CorruptStreamException(
          name,
          position + read,
          String.format(Locale.ROOT, "file ends, want %d bytes more", count - read));
    }
  }

  void write(long position, ByteBuffer from) throws IOException {
    files.write(name, position, from);
  }

  void force() throws IOException {
    files.force(name);
  }

  /// Cuts the file to what the last savepoint recorded. Longer is what a crash leaves.
  void cutTo(long bytes) throws IOException, CorruptStreamException {
    long size = files.size(name);
    if (size < bytes) {
      throw new CorruptStreamException(
          name,
          size,
          String.format(Locale.ROOT, "file ends, the savepoint recorded %d bytes", bytes));
    }
    if (size > bytes) {
      files.truncate(name, bytes);
    }
  }

  /// Empties the file: it may be left from a promotion whose savepoint never came.
  void startOver() throws IOException {
    files.truncate(name, 0);
  }

  /// Makes the file's directory entries durable.
  void forceEntries(Disk disk) throws IOException {
    disk.forceDirectory(id.directory());
    disk.forceDirectory(ArrayId.ROOT_DIRECTORY);
    disk.forceDirectory("");
  }
}

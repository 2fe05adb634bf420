package io.tallystick.audit.replay;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// Records of any size in a temporary file, in slots of sizes that are powers of two. A free slot
/// begins with the position of the next free one of its size, so keeping account of them takes no
/// memory. The file loses its name at once where the system allows it, so that an audit that is
/// killed leaves nothing behind. Not thread-safe.
final class SpillFile implements AutoCloseable {
  private static final int SLOT_BITS_MIN = 8;
  private static final int SIZES = 32;
  private static final long NONE = -1;

  private final File name;
  private final RandomAccessFile file;
  private final long[] free = new long[SIZES];
  private final byte[] next = new byte[Long.BYTES];
  private long end;

  SpillFile(Path directory) throws IOException {
    Arrays.fill(free, NONE);
    Files.createDirectories(directory);
    Path path = Files.createTempFile(directory, "tallystick-audit-", ".spill");
    name = path.toFile();
    // Not through a channel: that closes itself under an interrupted thread.
    file = new RandomAccessFile(name, "rw");
    if (!name.delete()) {
      name.deleteOnExit();
    }
  }

  /// @return where it was written
  long write(byte[] record, int size) throws IOException {
    int slot = slot(size);
    long position = take(slot);
    file.seek(position);
    file.write(record, 0, size);
    return position;
  }

  /// Reads a record of that size into the beginning of `target`.
  void read(long position, byte[] target, int size) throws IOException {
    file.seek(position);
    file.readFully(target, 0, size);
  }

  /// The record is wanted no more.
  void free(long position, int size) throws IOException {
    int slot = slot(size);
    ByteBuffer.wrap(next).putLong(free[slot]);
    file.seek(position);
    file.write(next);
    free[slot] = position;
  }

  private long take(int slot) throws IOException {
    long position = free[slot];
    if (position == NONE) {
      position = end;
      end += 1L << slot;
      return position;
    }
    file.seek(position);
    file.readFully(next);
    free[slot] = ByteBuffer.wrap(next).getLong();
    return position;
  }

  private static int slot(int size) {
    return Math.max(SLOT_BITS_MIN, Integer.SIZE - Integer.numberOfLeadingZeros(size - 1));
  }

  /// How long the file is.
  long bytes() {
    return end;
  }

  @Override
  public void close() throws IOException {
    file.close();
    Files.deleteIfExists(name.toPath());
  }
}

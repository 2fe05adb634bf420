package io.tallystick.storage.page;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The slots of one size. Written by the owner in ascending order, neighbours at once; read by any
/// thread. The file is made by its first write.
final class SlotFile implements AutoCloseable {
  private static final int RUN_BYTES = 64 << 10;

  private final Disk disk;
  private final String directory;
  private final int slotBytes;
  private final byte[] run;
  private volatile @Nullable DiskFile file;
  private long runOffset;
  private int runBytes;
  private boolean unforced;

  SlotFile(Disk disk, String directory, int slotBytes) {
    this.disk = disk;
    this.directory = directory;
    this.slotBytes = slotBytes;
    this.run = new byte[RUN_BYTES - RUN_BYTES % slotBytes];
  }

  String name() {
    return name(directory, slotBytes);
  }

  static String name(String directory, int slotBytes) {
    return directory + "/" + slotBytes + ".slots";
  }

  private long offset(long number) {
    return Math.multiplyExact(number, (long) slotBytes);
  }

  /// Opens a file that has slots.
  void open(long slots) throws IOException, CorruptStreamException {
    DiskFile opened = disk.open(name());
    file = opened;
    long want = offset(slots);
    if (opened.size() < want) {
      throw new CorruptStreamException(
          name(), opened.size(), "file ends, the savepoint recorded " + want + " bytes");
    }
  }

  void write(long number, byte[] bytes, int count) throws IOException {
    long offset = offset(number);
    if (runBytes == run.length || offset != runOffset + runBytes) {
      flush();
      runOffset = offset;
    }
    System.arraycopy(bytes, 0, run, runBytes, count);
    Arrays.fill(run, runBytes + count, runBytes + slotBytes, (byte) 0);
    runBytes += slotBytes;
  }

  void flush() throws IOException {
    if (runBytes > 0) {
      DiskFile open = file;
      if (open == null) {
        open = disk.open(name());
        disk.forceDirectory(directory);
        file = open;
      }
      unforced = true;
      open.write(runOffset, ByteBuffer.wrap(run, 0, runBytes));
      runBytes = 0;
    }
  }

  void force() throws IOException {
    flush();
    DiskFile open = file;
    if (unforced && open != null) {
      open.force();
      unforced = false;
    }
  }

  /// Makes slots zeros. Not durable before {@link #force}.
  ///
  /// @param count of slots, all below the end of the file
  void zero(long first, long count) throws IOException {
    DiskFile open = opened();
    unforced = true;
    long end = offset(first + count);
    ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(RUN_BYTES, offset(count)));
    for (long at = offset(first); at < end; at += zeros.capacity()) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), end - at));
      open.write(at, zeros);
    }
  }

  /// Gives the room of slots that are zeros back to the file system, where it can.
  void punch(long first, long count) throws IOException {
    unforced = true;
    opened().punch(offset(first), offset(count));
  }

  private DiskFile opened() {
    DiskFile open = file;
    if (open == null) {
      throw new IllegalStateException("file " + name() + " has no slot");
    }
    return open;
  }

  void read(long number, byte[] into) throws IOException, CorruptStreamException {
    long offset = offset(number);
    DiskFile open = file;
    int read = open == null ? 0 : open.read(offset, ByteBuffer.wrap(into, 0, slotBytes));
    if (read != slotBytes) {
      throw new CorruptStreamException(
          name(),
          offset,
          String.format(Locale.ROOT, "slot of %d bytes ends after %d", slotBytes, read));
    }
  }

  @Override
  public void close() throws IOException {
    DiskFile open = file;
    if (open != null) {
      open.close();
    }
  }
}

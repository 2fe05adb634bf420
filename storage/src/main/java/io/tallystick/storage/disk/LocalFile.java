package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A file of a {@link LocalDisk}. A failed force kills it: Linux forgets dirty pages it could not
/// write, so a second force would succeed without having saved them.
final class LocalFile implements DiskFile {
  private final String name;
  private final FileChannel channel;
  private final Path path;
  private final @Nullable IOException notWritable;
  private volatile boolean dead;
  private @Nullable FileChannel direct;
  private boolean directTried;

  /// @param channel an opening of `path`
  LocalFile(String name, FileChannel channel, Path path) {
    this(name, channel, path, null);
  }

  private LocalFile(
      String name, FileChannel channel, Path path, @Nullable IOException notWritable) {
    this.notWritable = notWritable;
    this.name = name;
    this.channel = channel;
    this.path = path;
  }

  /// One whose writes fail.
  ///
  /// @param channel an opening of `path` for reading
  /// @param cause why it could not be opened for writing
  static LocalFile readOnly(String name, FileChannel channel, Path path, IOException cause) {
    return new LocalFile(name, channel, path, cause);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() throws IOException {
    return channel.size();
  }

  @Override
  public int read(long position, ByteBuffer into) throws IOException {
    int start = into.position();
    while (into.hasRemaining()) {
      int count = channel.read(into, position + into.position() - start);
      if (count < 0) {
        break;
      }
    }
    return into.position() - start;
  }

  @Override
  public void write(long position, ByteBuffer from) throws IOException {
    requireAlive();
    long size = channel.size();
    try {
      writeParts(position, from);
    } catch (IOException e) {
      throw full(e, size, from.remaining());
    }
  }

  @Override
  public void force() throws IOException {
    requireAlive();
    try {
      channel.force(false);
    } catch (IOException e) {
      dead = true;
      throw e;
    }
  }

  @Override
  public void truncate(long size) throws IOException {
    requireAlive();
    channel.truncate(size);
  }

  @Override
  public void allocate(long size) throws IOException {
    requireAlive();
    long end = channel.size();
    try {
      Zeros.lay(path, channel, end, size);
    } catch (IOException e) {
      throw full(e, end, size - end);
    }
    if (end < size) {
      force();
    }
  }

  @Override
  public void punch(long position, long bytes) throws IOException {
    requireAlive();
    if (position < 0 || bytes < 1 || position + bytes > channel.size()) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%d bytes at %d are not inside %s", bytes, position, name));
    }
    if (!Holes.punch(path, position, bytes)) {
      DiskFile.super.punch(position, bytes);
    }
  }

  @Override
  public void close() throws IOException {
    try (FileChannel _ = direct) {
      channel.close();
    }
  }

  /// Whole pages in the middle of a long write go past the page cache, if the buffer lies in memory
  /// as they do in the file. The last page does not: the next write of a file that grows starts in
  /// it.
  private void writeParts(long position, ByteBuffer from) throws IOException {
    long end = position + from.remaining();
    long directFrom = DirectChannel.roundUp(position);
    long directTo = DirectChannel.roundDown(end) - DirectChannel.ALIGNMENT_BYTES;
    int head = (int) (directFrom - position);
    if (directTo - directFrom < DirectChannel.BYTES_MIN
        || !from.isDirect()
        || from.alignmentOffset(from.position() + head, DirectChannel.ALIGNMENT_BYTES) != 0) {
      writeFully(channel, position, from);
      return;
    }
    FileChannel past = direct();
    int limit = from.limit();
    writeFully(channel, position, from.limit(from.position() + head));
    from.limit(from.position() + (int) (directTo - directFrom));
    writeFully(past == null ? channel : past, directFrom, from);
    writeFully(channel, directTo, from.limit(limit));
  }

  private @Nullable FileChannel direct() {
    if (!directTried) {
      directTried = true;
      direct = DirectChannel.open(path);
    }
    return direct;
  }

  private static void writeFully(FileChannel into, long position, ByteBuffer from)
      throws IOException {
    int start = from.position();
    while (from.hasRemaining()) {
      into.write(from, position + from.position() - start);
    }
  }

  /// Takes back growth, and tells a full disk from a broken one. The JDK has no type for ENOSPC and
  /// its text may be translated, so the free space counts as well.
  private IOException full(IOException cause, long sizeBefore, long wantedBytes) {
    try {
      if (!isFull(cause, wantedBytes)) {
        return cause;
      }
      channel.truncate(sizeBefore);
    } catch (IOException e) {
      cause.addSuppressed(e);
      return cause;
    }
    return new DiskFullException(
        String.format(Locale.ROOT, "no room for %d bytes in %s", wantedBytes, name), cause);
  }

  private boolean isFull(IOException cause, long wantedBytes) throws IOException {
    String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    return message.contains("no space left")
        || message.contains("quota exceeded")
        || Files.getFileStore(path).getUsableSpace() < wantedBytes;
  }

  private void requireAlive() throws IOException {
    if (notWritable != null) {
      throw new IOException(name + " can only be read: " + notWritable.getMessage(), notWritable);
    }
    if (dead) {
      throw new IOException(name + " is dead: an earlier force failed");
    }
  }
}

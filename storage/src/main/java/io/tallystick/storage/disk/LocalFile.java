package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// A file of a {@link LocalDisk}. A failed force kills it: Linux forgets dirty pages it could not
/// write, so a second force would succeed without having saved them.
final class LocalFile implements DiskFile {
  private static final int ZEROS_BYTES = 1024 * 1024;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(ZEROS_BYTES).asReadOnlyBuffer();

  private final String name;
  private final FileChannel channel;
  private final Path root;
  private volatile boolean dead;

  LocalFile(String name, FileChannel channel, Path root) {
    this.name = name;
    this.channel = channel;
    this.root = root;
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
      writeFully(position, from);
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
      for (long at = end; at < size; at += ZEROS_BYTES) {
        writeFully(at, ZEROS.slice(0, (int) Math.min(ZEROS_BYTES, size - at)));
      }
    } catch (IOException e) {
      throw full(e, end, size - end);
    }
    if (end < size) {
      force();
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private void writeFully(long position, ByteBuffer from) throws IOException {
    int start = from.position();
    while (from.hasRemaining()) {
      channel.write(from, position + from.position() - start);
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
    return new DiskFullException("no room for %d bytes in %s".formatted(wantedBytes, name), cause);
  }

  private boolean isFull(IOException cause, long wantedBytes) throws IOException {
    String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    return message.contains("no space left")
        || message.contains("quota exceeded")
        || Files.getFileStore(root).getUsableSpace() < wantedBytes;
  }

  private void requireAlive() throws IOException {
    if (dead) {
      throw new IOException(name + " is dead: an earlier force failed");
    }
  }
}

package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Keeps a second process (or a second opening in this one) out of a data directory. The operating
/// system drops the lock when the holder dies; the pid in the file only serves the message.
public final class DataDirectoryLock implements AutoCloseable {
  /// Name of the lock file within the data directory.
  public static final String FILE_NAME = "LOCK";

  private static final int PID_BYTES_MAX = 20;

  private final FileChannel channel;
  private final FileLock lock;

  private DataDirectoryLock(FileChannel channel, FileLock lock) {
    this.channel = channel;
    this.lock = lock;
  }

  /// @throws IOException if somebody holds it; the message names the holder's process id
  public static DataDirectoryLock acquire(Path directory) throws IOException {
    FileChannel channel =
        OwnerOnly.open(
            directory.resolve(FILE_NAME),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
    try {
      FileLock lock = tryLock(channel);
      if (lock == null) {
        throw new IOException(
            String.format(
                Locale.ROOT,
                "data directory %s is in use by process %s",
                directory,
                holder(channel)));
      }
      writeHolder(channel);
      return new DataDirectoryLock(channel, lock);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException _) {
      return null;
    }
  }

  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(PID_BYTES_MAX);
    channel.read(pid, 0);
    return pid.position() == 0
        ? "(unknown)"
        : StandardCharsets.US_ASCII.decode(pid.flip()).toString().strip();
  }

  private static void writeHolder(FileChannel channel) throws IOException {
    String pid = ProcessHandle.current().pid() + "\n";
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0);
  }

  @Override
  public void close() throws IOException {
    lock.release();
    channel.close();
  }
}

package io.tallystick.client.trust;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/// One writer at a time in a trust folder, over threads and over processes: two programs of one
/// user may follow the same ledger, and neither may put back what the other has moved forward.
final class FolderLock implements AutoCloseable {
  // A file lock belongs to the process, so threads of one are kept apart by a lock per path.
  private static final ConcurrentMap<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

  private final ReentrantLock thread;
  private final RandomAccessFile file;

  private FolderLock(ReentrantLock thread, RandomAccessFile file) {
    this.thread = thread;
    this.file = file;
  }

  static FolderLock acquire(Path directory) throws IOException {
    Path path = directory.toAbsolutePath().normalize().resolve("lock");
    ReentrantLock thread = THREADS.computeIfAbsent(path, unused -> new ReentrantLock());
    thread.lock();
    boolean interrupted = Thread.interrupted();
    try {
      RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
      try {
        // Held until the file is closed, or this process ends.
        FileLock lock = file.getChannel().lock();
        if (!lock.isValid()) {
          throw new IOException("lock on " + path + " was lost");
        }
        return new FolderLock(thread, file);
      } catch (IOException | RuntimeException e) {
        file.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      thread.unlock();
      throw e;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() throws IOException {
    try {
      // Closing the file gives the lock back.
      file.close();
    } finally {
      thread.unlock();
    }
  }
}

package io.tallystick.server.shard;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The bounded queue between commit and index: so many frames and so many bytes may be committed
/// ahead. Source: `docs/architecture.md`, "Memory bounds".
final class IndexBacklog {
  private final int framesMax;
  private final long bytesMax;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();
  private final Condition work = lock.newCondition();
  private final Queue<IndexTask> tasks = new ArrayDeque<>();
  private final Queue<Long> committedAt = new ArrayDeque<>();
  private int frames;
  private long bytes;
  private boolean closed;

  IndexBacklog(int framesMax, long bytesMax) {
    this.framesMax = framesMax;
    this.bytesMax = bytesMax;
  }

  /// Waits until another frame may be committed. Room is counted by {@link #put} and given back by
  /// {@link #done}.
  ///
  /// @return false if the backlog was closed
  boolean awaitRoom() throws InterruptedException {
    lock.lock();
    try {
      while (!closed && (frames >= framesMax || bytes >= bytesMax)) {
        room.await();
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  void put(IndexTask task) {
    lock.lock();
    try {
      tasks.add(task);
      committedAt.add(System.nanoTime());
      frames++;
      bytes += task.frameBytes();
      work.signal();
    } finally {
      lock.unlock();
    }
  }

  /// The next task, or null after `millis` without one, or when closed and drained.
  @Nullable IndexTask poll(long millis) throws InterruptedException {
    lock.lock();
    try {
      long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
      while (tasks.isEmpty() && !closed && nanos > 0) {
        nanos = work.awaitNanos(nanos);
      }
      return tasks.poll();
    } finally {
      lock.unlock();
    }
  }

  /// A task was indexed.
  void done(int frameBytes) {
    lock.lock();
    try {
      frames--;
      committedAt.remove();
      bytes -= frameBytes;
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  int frames() {
    lock.lock();
    try {
      return frames;
    } finally {
      lock.unlock();
    }
  }

  long bytes() {
    lock.lock();
    try {
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /// How long the oldest of them has been waiting for its head to be signed; 0 if none is.
  double oldestSeconds() {
    lock.lock();
    try {
      Long oldest = committedAt.peek();
      return oldest == null ? 0 : (System.nanoTime() - oldest) / 1e9;
    } finally {
      lock.unlock();
    }
  }

  boolean isDrained() {
    lock.lock();
    try {
      return frames == 0;
    } finally {
      lock.unlock();
    }
  }

  /// No more is put; what is there may still be polled.
  void close() {
    lock.lock();
    try {
      closed = true;
      room.signalAll();
      work.signalAll();
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }
}

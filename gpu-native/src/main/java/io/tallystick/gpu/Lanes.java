package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The lanes that calls share. A call waits for one, and takes another if nobody waits for it.
/// Whoever has one gives it back within a bounded time. Thread-safe.
final class Lanes {
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Condition changed = lock.newCondition();
  private final Deque<Lane> free;
  private final int all;
  private int waiting;
  private boolean isClosed;

  Lanes(List<Lane> lanes) {
    free = new ArrayDeque<>(lanes);
    all = lanes.size();
  }

  /// Waits for a lane, also if the thread is interrupted.
  ///
  /// @throws DeviceLostException if they are closed
  Lane take() throws DeviceLostException {
    lock.lock();
    waiting++;
    try {
      while (!isClosed && free.isEmpty()) {
        changed.awaitUninterruptibly();
      }
      if (isClosed) {
        throw new DeviceLostException("the device was closed");
      }
      return free.removeFirst();
    } finally {
      waiting--;
      lock.unlock();
    }
  }

  @Nullable Lane takeIfFree() {
    lock.lock();
    try {
      return isClosed || waiting > 0 ? null : free.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  void giveBack(Lane lane) {
    lock.lock();
    try {
      free.addLast(lane);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Lends none from now on, and waits until all are back, also if the thread is interrupted.
  ///
  /// @return whether they came in time
  boolean close(Duration waitMax) {
    boolean wasInterrupted = false;
    long end = System.nanoTime() + waitMax.toNanos();
    lock.lock();
    try {
      isClosed = true;
      changed.signalAll();
      while (free.size() < all && System.nanoTime() - end < 0) {
        try {
          var _ = changed.awaitNanos(end - System.nanoTime());
        } catch (InterruptedException _) {
          wasInterrupted = true;
        }
      }
      return free.size() == all;
    } finally {
      lock.unlock();
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

package io.tallystick.server.removal;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/// Lets nothing be erased or deleted while a backup is made: rows, frames and images of it are of
/// one moment then, though it is copied for hours. Thread-safe.
public final class Stillness {
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private volatile boolean held;

  /// Begins to change what is stored. If it may, {@link #endChange} follows, on the same thread.
  ///
  /// @return false while it is held: the change has to wait, or can be left out
  public boolean beginChange() {
    return !held && lock.readLock().tryLock();
  }

  public void endChange() {
    lock.readLock().unlock();
  }

  /// Waits for the changes that have begun; no other begins before {@link #release}, on the same
  /// thread.
  public void hold() {
    held = true;
    lock.writeLock().lock();
  }

  public void release() {
    held = false;
    lock.writeLock().unlock();
  }
}

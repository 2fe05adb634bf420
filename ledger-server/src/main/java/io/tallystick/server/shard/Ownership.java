package io.tallystick.server.shard;

import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/// What the owner of a shard must know of the other processes that may own it. Thread-safe.
public interface Ownership {
  /// Of a data directory, which one process holds by its lock.
  Ownership LOCAL = new Ownership() {};

  /// Whether another process may take the shard over while this one believes that it owns it.
  default boolean isShared() {
    return false;
  }

  /// Whether this process may claim the shard again: what is written down of owners names it.
  ///
  /// @throws IOException if that cannot be found out now
  default boolean isOurs() throws IOException {
    return true;
  }

  /// May refuse to go on with a claim: the stream is fenced, and all of it is replayed.
  ///
  /// @param lastFrame number of its last frame; -1 for none
  /// @throws IOException if this process must not write it
  default void checkEnd(long lastFrame) throws IOException {}

  /// Hears the number of a frame that was confirmed. Must not block.
  default void confirmed(long frame) {}

  /// Puts the newest savepoint of the shard that was shipped into its storage, in place of the one
  /// that is there. Nothing of the storage is in use.
  ///
  /// @param at a frame that it must hold
  /// @return false if there is none that holds the frame; nothing was changed then
  default boolean fetchSavepoint(StreamPosition at) throws IOException {
    return false;
  }

  /// Location of the first frame that the newest shipped savepoint has not, unsigned: nothing from
  /// there on is erased. Above all where savepoints are not shipped.
  default long shippedTo() {
    return -1;
  }

  /// Nanoseconds of a clock that never goes back, as {@link System#nanoTime}.
  default long nanoTime() {
    return System.nanoTime();
  }

  /// Waits.
  default void pause(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos);
  }
}

package io.tallystick.storage.disk;

import java.util.concurrent.TimeUnit;

/// An operation that a disk was told to do and has not done yet.
///
/// @param kind as in `force`
/// @param file its name; a directory's for one that is forced
/// @param sinceNanos by {@link System#nanoTime}
public record DiskOperation(Kind kind, String file, long sinceNanos) {
  /// The kind of an operation.
  public enum Kind {
    OPEN,
    READ,
    WRITE,
    FORCE,
    TRUNCATE,
    RENAME,
    DELETE,
    FORCE_DIRECTORY;

    /// Whether reads need it too.
    public boolean reads() {
      return this == OPEN || this == READ;
    }
  }

  /// How long it has been going on.
  public long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
  }
}

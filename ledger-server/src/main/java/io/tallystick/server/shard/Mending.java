package io.tallystick.server.shard;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.StreamFencedException;
import java.io.IOException;

/// Whether it helps to open a shard again after a failure.
final class Mending {
  private Mending() {}

  /// Not when it was fenced: with a new epoch it would fence its successor in turn. Nor on a disk
  /// that takes no writes: what is open can still be read, and would not open again.
  static boolean helps(Throwable cause, Disk disk) {
    if (!(cause instanceof IOException) || cause instanceof StreamFencedException) {
      return false;
    }
    try {
      disk.probe();
      return true;
    } catch (IOException e) {
      cause.addSuppressed(e);
      return false;
    }
  }
}

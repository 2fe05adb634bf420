package io.tallystick.storage.forest;

import io.tallystick.storage.disk.Disk;
import java.io.IOException;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/// Deletes files that nobody needs. What cannot be deleted costs room and nothing else: it is tried
/// again at each savepoint, and when the state is opened. Thread-safe.
final class Deletions {
  private final Disk disk;
  private final SortedSet<String> failed = new TreeSet<>();

  Deletions(Disk disk) {
    this.disk = disk;
  }

  synchronized void delete(String name) {
    try {
      disk.delete(name);
      failed.remove(name);
    } catch (IOException _) {
      failed.add(name);
    }
  }

  /// Tries again what failed.
  synchronized void again() {
    List.copyOf(failed).forEach(this::delete);
  }

  /// Whether it will be deleted: no other file may have the name before.
  synchronized boolean isToDelete(String name) {
    return failed.contains(name);
  }

  /// Files that could not be deleted.
  synchronized List<String> failed() {
    return List.copyOf(failed);
  }
}

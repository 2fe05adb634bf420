package io.tallystick.storage.forest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Files of closed partitions that no version has any more. Each is deleted once a savepoint that
/// names it no more is durable, and nobody reads it. For the owner.
final class DroppedFiles implements AutoCloseable {
  private final Deletions deletions;
  private final List<Dropped> dropped = new ArrayList<>();

  /// @param file if it is open
  /// @param savepoint of the slots, from which on no row names it
  private record Dropped(String name, @Nullable PartFile file, long savepoint) {}

  DroppedFiles(Deletions deletions) {
    this.deletions = deletions;
  }

  void add(String name, @Nullable PartFile file, long savepoint) {
    dropped.add(new Dropped(name, file, savepoint));
  }

  /// @param savepoint that is durable
  void delete(long savepoint) throws IOException {
    Iterator<Dropped> each = dropped.iterator();
    while (each.hasNext()) {
      Dropped one = each.next();
      if (one.savepoint <= savepoint && (one.file == null || one.file.retire())) {
        each.remove();
        deletions.delete(one.name);
      }
    }
  }

  /// Whether none is left that a savepoint names no more.
  boolean areGone(long savepoint) {
    return dropped.stream().noneMatch(one -> one.savepoint <= savepoint);
  }

  @Override
  public void close() throws IOException {
    for (Dropped one : dropped) {
      if (one.file != null) {
        one.file.close();
      }
    }
  }
}

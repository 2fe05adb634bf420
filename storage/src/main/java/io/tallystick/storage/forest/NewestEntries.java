package io.tallystick.storage.forest;

import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/// The newest entry of each key in key order, tombstones too: the partitions' entries, merged. One
/// leaf of each partition is in memory. One thread's.
final class NewestEntries {
  private static final Comparator<Source> ORDER =
      Comparator.comparing((Source source) -> source.key)
          .thenComparingLong(source -> -source.cursor.partition().number());

  private final PriorityQueue<Source> sources = new PriorityQueue<>(ORDER);

  private int passedCount;

  private static final class Source {
    final EntryCursor cursor;
    Bytes key;

    Source(EntryCursor cursor) {
      this.cursor = cursor;
      this.key = cursor.key();
    }
  }

  /// @param from the lowest key that counts
  NewestEntries(PageCache cache, List<ForestPartition> partitions, Bytes from)
      throws IOException, CorruptStreamException {
    for (ForestPartition partition : partitions) {
      EntryCursor cursor = new EntryCursor(cache, partition, false);
      cursor.seek(from);
      if (!cursor.isAtEnd()) {
        sources.add(new Source(cursor));
      }
    }
  }

  /// How many partitions have the key that was returned last.
  int passed() {
    return passedCount;
  }

  /// Null behind the last key.
  @Nullable HeldEntry next() throws IOException, CorruptStreamException {
    Source newest = sources.peek();
    if (newest == null) {
      return null;
    }
    Bytes key = newest.key;
    HeldEntry held = newest.cursor.held();
    List<Source> passed = new ArrayList<>();
    Source source = newest;
    while (source != null && source.key.equals(key)) {
      passed.add(sources.remove());
      source = sources.peek();
    }
    passedCount = passed.size();
    for (Source of : passed) {
      of.cursor.next();
      if (!of.cursor.isAtEnd()) {
        of.key = of.cursor.key();
        sources.add(of);
      }
    }
    return held;
  }
}

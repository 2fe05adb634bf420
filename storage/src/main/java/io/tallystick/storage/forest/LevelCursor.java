package io.tallystick.storage.forest;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Goes through the nodes of one level of a partition's tree, in order. One page of each level
/// above is in memory. One thread's.
final class LevelCursor {
  private final PageCache cache;
  private final PageSource pages;
  private final int level;
  private final Deque<Way> path = new ArrayDeque<>();
  private @Nullable NodeRef root;

  private static final class Way {
    final InnerPage page;
    int slot;

    Way(InnerPage page) {
      this.page = page;
    }
  }

  LevelCursor(PageCache cache, ForestPartition partition, int level) {
    this.cache = cache;
    this.pages = partition.pages();
    this.level = level;
    this.root = partition.root();
  }

  /// The next node; null behind the last one.
  @Nullable NodeRef next() throws IOException, CorruptStreamException {
    NodeRef ref = root;
    root = null;
    while (ref == null && !path.isEmpty()) {
      Way way = path.peek();
      if (way.slot == way.page.count()) {
        path.pop();
      } else {
        ref = way.page.child(way.slot++);
      }
    }
    while (ref != null && ref.level() > level) {
      Way way = new Way((InnerPage) cache.scanned(pages, ref));
      path.push(way);
      ref = way.page.child(way.slot++);
    }
    return ref;
  }
}

package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.StateNode;
import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Goes through the entries of a partition in key order, leaf by leaf, with one page of each level
/// in memory. One thread's.
final class EntryCursor {
  private static final int DEPTH_MAX = StateNode.LEVEL_MAX;

  private final PageCache cache;
  private final ForestPartition partition;
  private final boolean scanning;
  private final InnerPage[] path = new InnerPage[DEPTH_MAX];
  private final int[] slots = new int[DEPTH_MAX];
  private int depth;
  private @Nullable LeafPage leaf; // null behind the last entry
  private int index;

  /// Which child to go down to.
  private interface Way {
    int slot(InnerPage page);
  }

  /// @param scanning whether it goes over all of the partition: each node must have its hash then,
  ///   and does not stay in the cache
  EntryCursor(PageCache cache, ForestPartition partition, boolean scanning) {
    this.cache = cache;
    this.partition = partition;
    this.scanning = scanning;
  }

  ForestPartition partition() {
    return partition;
  }

  /// Goes to the first entry whose key is at least `key`.
  void seek(Bytes key) throws IOException, CorruptStreamException {
    depth = 0;
    LeafPage found = down(partition.root(), page -> page.separators().slot(key));
    index = found.countBelow(key.unsafeArray());
    if (index == found.count()) {
      nextLeaf();
    }
  }

  /// Goes to the entry of an index in key order.
  void seek(long position) throws IOException, CorruptStreamException {
    depth = 0;
    long[] left = {position};
    down(
        partition.root(),
        page -> {
          int slot = 0;
          while (left[0] >= page.childEntries(slot)) {
            left[0] -= page.childEntries(slot++);
          }
          return slot;
        });
    index = Math.toIntExact(left[0]);
  }

  private LeafPage down(NodeRef from, Way way) throws IOException, CorruptStreamException {
    ForestPage page = load(from);
    while (page instanceof InnerPage inner) {
      int slot = way.slot(inner);
      path[depth] = inner;
      slots[depth++] = slot;
      page = load(inner.child(slot));
    }
    LeafPage found = (LeafPage) page;
    leaf = found;
    return found;
  }

  private ForestPage load(NodeRef ref) throws IOException, CorruptStreamException {
    return scanning ? cache.scanned(partition.pages(), ref) : cache.get(partition.pages(), ref);
  }

  boolean isAtEnd() {
    return leaf == null;
  }

  private LeafPage leaf() {
    LeafPage here = leaf;
    if (here == null) {
      throw new IllegalStateException("behind the last entry");
    }
    return here;
  }

  Bytes key() {
    return leaf().key(index);
  }

  boolean isPresent() {
    return leaf().isPresent(index);
  }

  HeldEntry held() {
    return leaf().held(index);
  }

  void next() throws IOException, CorruptStreamException {
    if (++index == leaf().count()) {
      nextLeaf();
    }
  }

  private void nextLeaf() throws IOException, CorruptStreamException {
    while (depth > 0 && slots[depth - 1] + 1 == path[depth - 1].count()) {
      depth--;
    }
    index = 0;
    if (depth == 0) {
      leaf = null;
      return;
    }
    int slot = ++slots[depth - 1];
    down(path[depth - 1].child(slot), _ -> 0);
  }
}

package io.tallystick.storage.accumulator;

import io.tallystick.merkle.NodeId;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The right edge of a tree: the roots of the maximal complete subtrees it is made of, one for each
/// bit set in its size. Immutable.
final class Frontier {
  static final Frontier EMPTY = new Frontier(0, new Digest[0]);

  private final long size;
  private final @Nullable Digest[] nodes; // by level; null where the size has no bit

  /// @param nodes not kept by the caller; one for each bit of `size`, by level
  Frontier(long size, @Nullable Digest[] nodes) {
    for (int level = 0; level < nodes.length || size >> level != 0; level++) {
      boolean present = level < nodes.length && nodes[level] != null;
      if (present != ((size >> level & 1) == 1)) {
        throw new AssertionError("frontier of size " + size + " is wrong at level " + level);
      }
    }
    this.size = size;
    this.nodes = nodes;
  }

  long size() {
    return size;
  }

  /// The subtree of 2^level leaves at the edge, null if the size has none.
  @Nullable Digest at(int level) {
    return level < nodes.length ? nodes[level] : null;
  }

  /// The hash of `node` if it is one of these subtrees.
  @Nullable Digest find(NodeId node) {
    return node.index() == (size >> node.level()) - 1 ? at(node.level()) : null;
  }

  Digest root() {
    List<Digest> leftToRight = new ArrayList<>();
    for (int level = nodes.length - 1; level >= 0; level--) {
      Digest node = nodes[level];
      if (node != null) {
        leftToRight.add(node);
      }
    }
    return leftToRight.isEmpty() ? TreeHasher.EMPTY_ROOT : TreeHasher.foldRight(leftToRight);
  }
}

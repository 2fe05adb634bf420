package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.StatePartition;
import io.tallystick.model.Bytes;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A partition as of one block. Immutable.
record ForestPartition(long number, long firstHeight, OptionalLong lastHeight, ForestNode root) {
  long entryCount() {
    return root.entryCount();
  }

  Bytes encode() {
    return new StatePartition(number, firstHeight, lastHeight, entryCount(), root.hash()).encode();
  }

  ForestPartition closedAt(long height) {
    return new ForestPartition(number, firstHeight, OptionalLong.of(height), root);
  }

  boolean isOpen() {
    return lastHeight.isEmpty();
  }

  /// The entry of a key; null if the partition has none.
  @Nullable HeldEntry find(Bytes key) {
    ForestNode node = root;
    while (node instanceof ForestNode.Inner inner) {
      node = inner.children().get(inner.separators().slot(key));
    }
    HeldEntry held = ((ForestNode.Leaf) node).entries().get(node.separators().slot(key));
    return held.key().equals(key) ? held : null;
  }

  /// The entry of an index in key order.
  HeldEntry at(long index) {
    ForestNode node = root;
    long left = index;
    while (node instanceof ForestNode.Inner inner) {
      int slot = 0;
      while (left >= inner.children().get(slot).entryCount()) {
        left -= inner.children().get(slot).entryCount();
        slot++;
      }
      node = inner.children().get(slot);
    }
    return ((ForestNode.Leaf) node).entries().get(Math.toIntExact(left));
  }
}

package io.tallystick.audit.replay;

import io.tallystick.model.Bytes;
import java.io.IOException;

/// The partition that gets the entries, as a tree in memory. Not thread-safe.
final class OpenPartition {
  final long number;
  final long firstHeight;
  private PartitionNode root;

  OpenPartition(long number, long firstHeight, PartitionNode root) {
    this.number = number;
    this.firstHeight = firstHeight;
    this.root = root;
  }

  PartitionNode root() {
    return root;
  }

  long entryCount() {
    return root.entryCount();
  }

  void grow(PartitionShape shape, NewEntries entries) {
    root = shape.grow(root, entries);
  }

  /// Sets `view` to the entry of a key.
  ///
  /// @return false if there is none
  boolean find(byte[] key, StateEntryView view) {
    PartitionNode node = root;
    while (node instanceof PartitionNode.Inner inner) {
      node = inner.children[inner.slot(key)];
    }
    PartitionNode.Leaf leaf = (PartitionNode.Leaf) node;
    int index = leaf.firstAtLeast(key, 0);
    if (index == leaf.count() || leaf.compareKey(index, key) != 0) {
      return false;
    }
    view.set(leaf.packed, leaf.start(index));
    return true;
  }

  /// Its leaves keep the hashes of their entries no more.
  ///
  /// @return bytes of memory that are free for it
  long dropRecordHashes() {
    return dropRecordHashes(root);
  }

  private static long dropRecordHashes(PartitionNode node) {
    long before = node.bytes();
    long below = 0;
    switch (node) {
      case PartitionNode.Leaf leaf -> leaf.dropRecordHashes();
      case PartitionNode.Inner inner -> {
        for (PartitionNode child : inner.children) {
          below += dropRecordHashes(child);
        }
      }
    }
    return below + before - node.bytes();
  }

  /// Its record in the root over the partitions.
  Bytes record(ForestHasher hasher) {
    return hasher.partition(number, firstHeight, null, entryCount(), hasher.hash(root));
  }

  /// Writes its entries to a file.
  ClosedPartition close(long height, ForestHasher hasher, BlockFile file) throws IOException {
    byte[] hash = hasher.hash(root);
    ClosedPartition.Head head =
        new ClosedPartition.Head(number, firstHeight, height, entryCount(), Bytes.copyOf(hash));
    Bytes record = hasher.partition(number, firstHeight, height, entryCount(), hash);
    ClosedPartition.Writer writer = new ClosedPartition.Writer(head, record, file);
    write(root, writer);
    return writer.finish();
  }

  private static void write(PartitionNode node, ClosedPartition.Writer writer) throws IOException {
    switch (node) {
      case PartitionNode.Leaf leaf -> writer.add(leaf.packed);
      case PartitionNode.Inner inner -> {
        for (PartitionNode child : inner.children) {
          write(child, writer);
        }
      }
    }
  }
}

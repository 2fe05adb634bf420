package io.tallystick.audit.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// How entries change the tree of a partition: each goes to the leaf its slots lead to, and what
/// has become too large is cut, once for a whole block. Not thread-safe. Source:
/// `docs/formats/forest.md`, "What a block does", 4.
final class PartitionShape {
  private final int leafMax;
  private final int innerMax;
  private final StateEntryView old = new StateEntryView();
  private final StateEntryView next = new StateEntryView();
  private byte[] merged = new byte[1 << 12];
  private int[] starts = new int[64];
  private int mergedCount;
  private long grown;

  PartitionShape(int leafMax, int innerMax) {
    this.leafMax = leafMax;
    this.innerMax = innerMax;
  }

  /// The nodes that take a node's place, and the separators between them.
  private record Pieces(List<PartitionNode> nodes, List<byte[]> cuts) {}

  /// The tree with these entries too; an entry replaces the one of its key.
  ///
  /// @param keys at least one, ascending; key `i` is that of entry `i`
  PartitionNode grow(PartitionNode root, byte[][] keys, byte[][] entries) {
    Pieces pieces = insert(root, keys, entries, 0, keys.length);
    while (pieces.nodes.size() > 1) {
      pieces = cut(pieces.nodes.getFirst().level() + 1, pieces.nodes, pieces.cuts);
    }
    return pieces.nodes.getFirst();
  }

  /// How much more memory trees take since this was asked last.
  long takeGrown() {
    long bytes = grown;
    grown = 0;
    return bytes;
  }

  private Pieces insert(PartitionNode node, byte[][] keys, byte[][] entries, int from, int to) {
    grown -= node.bytes();
    return switch (node) {
      case PartitionNode.Leaf leaf -> {
        merge(leaf, keys, entries, from, to);
        yield cutMerged();
      }
      case PartitionNode.Inner inner -> insertBelow(inner, keys, entries, from, to);
    };
  }

  private Pieces insertBelow(
      PartitionNode.Inner node, byte[][] keys, byte[][] entries, int from, int to) {
    List<PartitionNode> children = new ArrayList<>(node.children.length + 1);
    List<byte[]> separators = new ArrayList<>(node.children.length);
    int first = from;
    for (int slot = 0; slot < node.children.length; slot++) {
      if (slot > 0) {
        separators.add(node.separators[slot - 1]);
      }
      int end = first;
      while (end < to
          && (slot == node.separators.length
              || Arrays.compareUnsigned(keys[end], node.separators[slot]) < 0)) {
        end++;
      }
      if (end == first) {
        children.add(node.children[slot]);
      } else {
        Pieces pieces = insert(node.children[slot], keys, entries, first, end);
        children.addAll(pieces.nodes);
        separators.addAll(pieces.cuts);
        first = end;
      }
    }
    return cut(node.level(), children, separators);
  }

  /// Puts children below as many parents as they need.
  private Pieces cut(int level, List<PartitionNode> children, List<byte[]> separators) {
    List<PartitionNode> nodes = new ArrayList<>();
    List<byte[]> cuts = new ArrayList<>();
    int from = 0;
    for (int size : sizes(children.size(), innerMax)) {
      if (from > 0) {
        cuts.add(separators.get(from - 1));
      }
      PartitionNode.Inner node =
          new PartitionNode.Inner(
              level,
              children.subList(from, from + size).toArray(PartitionNode[]::new),
              separators.subList(from, from + size - 1).toArray(byte[][]::new));
      grown += node.bytes();
      nodes.add(node);
      from += size;
    }
    return new Pieces(nodes, cuts);
  }

  private void merge(PartitionNode.Leaf leaf, byte[][] keys, byte[][] entries, int from, int to) {
    mergedCount = 0;
    starts[0] = 0;
    int at = 0;
    for (int i = from; i < to; i++) {
      boolean replaced = false;
      while (at < leaf.packed.length && !replaced) {
        int order = old.set(leaf.packed, at).compareKey(keys[i]);
        if (order > 0) {
          break;
        }
        replaced = order == 0;
        if (!replaced) {
          keep(leaf.packed, at, old.end() - at);
        }
        at = old.end();
      }
      keep(entries[i], 0, entries[i].length);
    }
    while (at < leaf.packed.length) {
      int end = old.set(leaf.packed, at).end();
      keep(leaf.packed, at, end - at);
      at = end;
    }
  }

  private void keep(byte[] from, int at, int size) {
    int length = starts[mergedCount];
    if (length + size > merged.length) {
      merged = Arrays.copyOf(merged, Math.max(length + size, 2 * merged.length));
    }
    if (mergedCount + 1 == starts.length) {
      starts = Arrays.copyOf(starts, 2 * starts.length);
    }
    System.arraycopy(from, at, merged, length, size);
    mergedCount++;
    starts[mergedCount] = length + size;
  }

  private Pieces cutMerged() {
    List<PartitionNode> nodes = new ArrayList<>();
    List<byte[]> cuts = new ArrayList<>();
    int from = 0;
    for (int size : sizes(mergedCount, leafMax)) {
      if (from > 0) {
        old.set(merged, starts[from - 1]);
        next.set(merged, starts[from]);
        cuts.add(
            Arrays.copyOfRange(merged, next.keyAt(), next.keyAt() + separatorLength(old, next)));
      }
      PartitionNode.Leaf leaf =
          new PartitionNode.Leaf(
              Arrays.copyOfRange(merged, starts[from], starts[from + size]), size);
      grown += leaf.bytes();
      nodes.add(leaf);
      from += size;
    }
    return new Pieces(nodes, cuts);
  }

  /// The length of the shortest prefix of the right entry's key that is above the left entry's key.
  static int separatorLength(StateEntryView left, StateEntryView right) {
    int same =
        Arrays.mismatch(
            left.bytes(),
            left.keyAt(),
            left.keyAt() + left.keyLength(),
            right.bytes(),
            right.keyAt(),
            right.keyAt() + right.keyLength());
    return same + 1;
  }

  /// The larger pieces come first.
  private static int[] sizes(int count, int max) {
    int pieces = (count + max - 1) / max;
    int[] sizes = new int[pieces];
    for (int i = 0; i < pieces; i++) {
      sizes[i] = count / pieces + (i < count % pieces ? 1 : 0);
    }
    return sizes;
  }
}

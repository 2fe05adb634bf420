package io.tallystick.audit.replay;

import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How entries change the tree of a partition: each goes to the leaf its slots lead to, and what
/// has become too large is cut, once for a whole block. Not thread-safe. Source:
/// `docs/formats/forest.md`, "What a block does", 4.
final class PartitionShape {
  private final int leafMax;
  private final int innerMax;
  private final ForestHasher hasher;
  private byte[] merged = new byte[1 << 12];
  private int[] starts = new int[64];
  private byte[] mergedHashes = new byte[64 * Digest.BYTES];
  private int mergedCount;
  private long grown;

  private boolean keepsHashes = true;

  PartitionShape(int leafMax, int innerMax, ForestHasher hasher) {
    this.hasher = hasher;
    this.leafMax = leafMax;
    this.innerMax = innerMax;
  }

  /// The nodes that take a node's place, and the separators between them.
  private record Pieces(List<PartitionNode> nodes, List<byte[]> cuts) {}

  /// The tree with these entries too; an entry replaces the one of its key.
  PartitionNode grow(PartitionNode root, NewEntries entries) {
    Pieces pieces = insert(root, entries, 0, entries.count());
    while (pieces.nodes.size() > 1) {
      pieces = cut(pieces.nodes.getFirst().level() + 1, pieces.nodes, pieces.cuts, null);
    }
    return pieces.nodes.getFirst();
  }

  /// Whether leaves that are made from now on keep the hashes of their entries.
  void keepHashes(boolean keep) {
    keepsHashes = keep;
  }

  boolean keepsHashes() {
    return keepsHashes;
  }

  /// How much more memory trees take since this was asked last.
  long takeGrown() {
    long bytes = grown;
    grown = 0;
    return bytes;
  }

  private Pieces insert(PartitionNode node, NewEntries entries, int from, int to) {
    grown -= node.bytes();
    return switch (node) {
      case PartitionNode.Leaf leaf -> {
        merge(leaf, entries, from, to);
        yield cutMerged();
      }
      case PartitionNode.Inner inner -> insertBelow(inner, entries, from, to);
    };
  }

  private Pieces insertBelow(PartitionNode.Inner node, NewEntries entries, int from, int to) {
    byte[][] keys = entries.keys;
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
        Pieces pieces = insert(node.children[slot], entries, first, end);
        children.addAll(pieces.nodes);
        separators.addAll(pieces.cuts);
        first = end;
      }
    }
    return cut(node.level(), children, separators, node.takeTree());
  }

  /// Puts children below as many parents as they need.
  ///
  /// @param tree of the node whose place they take; null if there is none
  private Pieces cut(
      int level, List<PartitionNode> children, List<byte[]> separators, byte @Nullable [][] tree) {
    List<PartitionNode> nodes = new ArrayList<>();
    List<byte[]> cuts = new ArrayList<>();
    int from = 0;
    int[] sizes = sizes(children.size(), innerMax);
    for (int size : sizes) {
      if (from > 0) {
        cuts.add(separators.get(from - 1));
      }
      PartitionNode.Inner node =
          new PartitionNode.Inner(
              level,
              children.subList(from, from + size).toArray(PartitionNode[]::new),
              separators.subList(from, from + size - 1).toArray(byte[][]::new),
              sizes.length == 1 ? tree : null);
      grown += node.bytes();
      nodes.add(node);
      from += size;
    }
    return new Pieces(nodes, cuts);
  }

  private void merge(PartitionNode.Leaf leaf, NewEntries entries, int from, int to) {
    mergedCount = 0;
    starts[0] = 0;
    byte[] hashes = hasher.records(leaf);
    int at = 0;
    for (int i = from; i < to; i++) {
      byte[] key = entries.keys[i];
      int next = leaf.firstAtLeast(key, at);
      keep(leaf.packed, leaf.start(at), leaf.start(next), hashes, at, next - at);
      for (int k = at; k < next; k++) {
        starts[mergedCount + 1] = starts[mergedCount] + leaf.start(k + 1) - leaf.start(k);
        mergedCount++;
      }
      byte[] entry = entries.encoded[i];
      keep(entry, 0, entry.length, entries.recordHashes, i, 1);
      starts[mergedCount + 1] = starts[mergedCount] + entry.length;
      mergedCount++;
      boolean replaced = next < leaf.count() && leaf.compareKey(next, key) == 0;
      at = replaced ? next + 1 : next;
    }
    int count = leaf.count();
    keep(leaf.packed, leaf.start(at), leaf.start(count), hashes, at, count - at);
    for (int k = at; k < count; k++) {
      starts[mergedCount + 1] = starts[mergedCount] + leaf.start(k + 1) - leaf.start(k);
      mergedCount++;
    }
  }

  /// Copies `count` entries that lie one behind the other, and their hashes, behind those that were
  /// copied before.
  ///
  /// @param hash index of the hash of the first
  private void keep(byte[] source, int from, int to, byte[] hashes, int hash, int count) {
    int length = starts[mergedCount];
    if (length + to - from > merged.length) {
      merged = Arrays.copyOf(merged, Math.max(length + to - from, 2 * merged.length));
    }
    if (mergedCount + count >= starts.length) {
      int room = Math.max(mergedCount + count + 1, 2 * starts.length);
      starts = Arrays.copyOf(starts, room);
      mergedHashes = Arrays.copyOf(mergedHashes, room * Digest.BYTES);
    }
    System.arraycopy(source, from, merged, length, to - from);
    System.arraycopy(
        hashes,
        hash * Digest.BYTES,
        mergedHashes,
        mergedCount * Digest.BYTES,
        count * Digest.BYTES);
  }

  private Pieces cutMerged() {
    List<PartitionNode> nodes = new ArrayList<>();
    List<byte[]> cuts = new ArrayList<>();
    int from = 0;
    for (int size : sizes(mergedCount, leafMax)) {
      if (from > 0) {
        int key = StateEntryView.keyAt(merged, starts[from]);
        int length = separatorLength(merged, starts[from - 1], starts[from]);
        cuts.add(Arrays.copyOfRange(merged, key, key + length));
      }
      PartitionNode.Leaf leaf = leaf(from, from + size);
      grown += leaf.bytes();
      nodes.add(leaf);
      from += size;
    }
    return new Pieces(nodes, cuts);
  }

  private PartitionNode.Leaf leaf(int from, int to) {
    int[] own = new int[to - from + 1];
    for (int i = 0; i < own.length; i++) {
      own[i] = starts[from + i] - starts[from];
    }
    return new PartitionNode.Leaf(
        Arrays.copyOfRange(merged, starts[from], starts[to]),
        own,
        Arrays.copyOfRange(mergedHashes, from * Digest.BYTES, to * Digest.BYTES),
        keepsHashes);
  }

  /// The length of the shortest prefix of the right entry's key that is above the left entry's key.
  ///
  /// @param left where the entry begins
  static int separatorLength(byte[] packed, int left, int right) {
    int leftKey = StateEntryView.keyAt(packed, left);
    int rightKey = StateEntryView.keyAt(packed, right);
    int same =
        Arrays.mismatch(
            packed,
            leftKey,
            leftKey + StateEntryView.keyLength(packed, left),
            packed,
            rightKey,
            rightKey + StateEntryView.keyLength(packed, right));
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

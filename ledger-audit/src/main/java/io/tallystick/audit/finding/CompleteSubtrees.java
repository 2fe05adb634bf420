package io.tallystick.audit.finding;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;

/// The complete subtrees of an RFC 9162 tree that lie within some of its consecutive leaves, each
/// node hashed once. It depends on nothing left or right of these leaves, so that many are made at
/// the same time. Immutable.
public final class CompleteSubtrees {
  private final long first;
  private final int count;
  private final byte[] leaves;

  /// From left to right, without those of a single leaf.
  private final List<Maximal> maximal;

  /// A subtree that is in no other here.
  private static final class Maximal {
    final int from; // index of its first leaf here
    final int width; // its leaves
    final byte[] nodes; // above them, level by level

    Maximal(int from, int width) {
      this.from = from;
      this.width = width;
      this.nodes = new byte[(width - 1) * Digest.BYTES];
    }
  }

  /// @param first leaf of the tree
  /// @param hashes leaf hash `i` at `32 * i`; kept, and not to be changed any more
  public CompleteSubtrees(long first, byte[] hashes, int count, BatchHasher hasher) {
    this.first = first;
    this.count = count;
    this.leaves = hashes;
    this.maximal = new ArrayList<>();
    int width;
    for (int from = 0; from < count; from += width) {
      width = width(from, count);
      if (width > 1) {
        Maximal subtree = new Maximal(from, width);
        hasher.subtrees(leaves, from * Digest.BYTES, width, 1, subtree.nodes, 0);
        maximal.add(subtree);
      }
    }
  }

  /// The leaf of the tree with which it begins.
  long first() {
    return first;
  }

  /// The width of the largest complete subtree that begins with leaf `from` here and does not pass
  /// leaf `to`.
  int width(int from, int to) {
    int most = Integer.highestOneBit(to - from);
    long aligned = Long.lowestOneBit(first + from); // 0 at the tree's beginning
    return aligned == 0 || aligned > most ? most : (int) aligned;
  }

  /// Copies the root of a complete subtree.
  ///
  /// @param from its first leaf here
  /// @param width as {@link #width} says, or less
  void copyRoot(int from, int width, byte[] target, int offset) {
    if (width == 1) {
      System.arraycopy(leaves, from * Digest.BYTES, target, offset, Digest.BYTES);
      return;
    }
    Maximal around = around(from);
    int level = Integer.numberOfTrailingZeros(width);
    int below = around.width - (around.width >> (level - 1)); // nodes on the levels below
    int place = below + ((from - around.from) >> level);
    System.arraycopy(around.nodes, place * Digest.BYTES, target, offset, Digest.BYTES);
  }

  private Maximal around(int leaf) {
    for (Maximal subtree : maximal) {
      if (leaf < subtree.from + subtree.width) {
        return subtree;
      }
    }
    throw new AssertionError("no subtree of two leaves at leaf " + leaf + " of " + count);
  }
}

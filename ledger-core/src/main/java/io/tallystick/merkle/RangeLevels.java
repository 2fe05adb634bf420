package io.tallystick.merkle;

import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;

/// The nodes above a range of leaves, level by level, each level padded by the outside roots to
/// whole pairs: so it holds the siblings of every leaf's way up. Not thread-safe while it is made.
final class RangeLevels {
  /// Nodes `[low, low + hashes / 32)` of one level.
  private static final class Row {
    private final long low;
    private final byte[] hashes;

    Row(long low, byte[] hashes) {
      this.low = low;
      this.hashes = hashes;
    }

    int count() {
      return hashes.length / Digest.BYTES;
    }

    Digest at(long index) {
      return Digest.of(hashes, Math.toIntExact(index - low) * Digest.BYTES);
    }
  }

  private final long size;
  private final List<Digest> roots;
  private final List<Row> rows = new ArrayList<>();
  private int leftRoots;
  private int rightRoot;

  private RangeLevels(RangeProof proof) {
    size = proof.treeSize();
    roots = proof.roots();
    leftRoots = Long.bitCount(proof.first());
    rightRoot = leftRoots;
  }

  /// @param proof whose shape has been checked
  /// @param leafHashes `32 * count` bytes
  static RangeLevels of(RangeProof proof, byte[] leafHashes) {
    RangeLevels levels = new RangeLevels(proof);
    Row row = new Row(proof.first(), leafHashes);
    int level = 0;
    while (TreeGeometry.width(levels.size, level) > 1) {
      Row padded = levels.pad(row, level);
      levels.rows.add(padded);
      row = parents(padded);
      level++;
    }
    levels.rows.add(row);
    levels.checkAllUsed();
    return levels;
  }

  Digest root() {
    return rows.getLast().at(0);
  }

  /// A node that has leaves of the range below it.
  Digest at(NodeId node) {
    return rows.get(node.level()).at(node.index());
  }

  /// The siblings of leaf `index` of the range, from the leaf up.
  List<Digest> inclusionPath(long index) {
    List<Digest> path = new ArrayList<>(rows.size());
    for (int level = 0; level < rows.size() - 1; level++) {
      long sibling = (index >> level) ^ 1;
      if (sibling < TreeGeometry.width(size, level)) {
        path.add(rows.get(level).at(sibling));
      }
    }
    return path;
  }

  /// The row with its outer siblings: the next left root when it begins at a right child, the next
  /// right root, or all that is left of them at the ragged edge, when it ends at a left child.
  private Row pad(Row row, int level) {
    long end = row.low + row.count();
    boolean left = (row.low & 1) == 1;
    boolean right = (end & 1) == 1 && end < TreeGeometry.width(size, level);
    if (!left && !right) {
      return row;
    }
    int before = left ? 1 : 0;
    int after = right ? 1 : 0;
    byte[] hashes = new byte[row.hashes.length + (before + after) * Digest.BYTES];
    System.arraycopy(row.hashes, 0, hashes, before * Digest.BYTES, row.hashes.length);
    if (left) {
      roots.get(--leftRoots).copyInto(hashes, 0);
    }
    if (right) {
      rightSibling(end, level).copyInto(hashes, hashes.length - Digest.BYTES);
    }
    return new Row(row.low - before, hashes);
  }

  private Digest rightSibling(long index, int level) {
    if ((index + 1) << level <= size) {
      return roots.get(rightRoot++);
    }
    Digest ragged = TreeHasher.foldRight(roots.subList(rightRoot, roots.size()));
    rightRoot = roots.size();
    return ragged;
  }

  private static Row parents(Row row) {
    int pairs = row.count() / 2;
    int odd = row.count() % 2;
    byte[] hashes = new byte[(pairs + odd) * Digest.BYTES];
    if (pairs > 0) {
      TreeHasher.parents(row.hashes, 0, pairs, hashes, 0);
    }
    if (odd == 1) {
      System.arraycopy(
          row.hashes, pairs * 2 * Digest.BYTES, hashes, pairs * Digest.BYTES, Digest.BYTES);
    }
    return new Row(row.low >> 1, hashes);
  }

  private void checkAllUsed() {
    if (leftRoots != 0 || rightRoot != roots.size()) {
      throw new AssertionError(
          leftRoots + " left, " + rightRoot + " of " + roots.size() + " roots");
    }
  }
}

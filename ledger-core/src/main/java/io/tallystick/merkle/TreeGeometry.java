package io.tallystick.merkle;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// Which complete subtrees the proofs of an RFC 9162 tree are made of. It hashes nothing: who
/// stores nodes looks these up and joins each element with {@link TreeHasher#foldRight}.
///
/// An *element* of a path is one hash of the proof, given as the complete subtrees, left to right,
/// whose {@link TreeHasher#foldRight} it is. All but the ragged right edge of a tree have exactly
/// one.
public final class TreeGeometry {
  /// The largest tree.
  public static final long SIZE_MAX = 1L << 62;

  /// The level of the root of the largest tree.
  public static final int LEVEL_MAX = 62;

  /// No inclusion or consistency path has more hashes.
  public static final int PATH_HASHES_MAX = 63;

  private TreeGeometry() {}

  /// The number of hashes of an inclusion path: below the point where the ways of leaf `index` and
  /// of the last leaf part there is a sibling at every level, above it only to the left.
  public static int inclusionPathLength(long index, long size) {
    checkIndex(index, size);
    int parted = Long.SIZE - Long.numberOfLeadingZeros(index ^ (size - 1));
    return parted + Long.bitCount(index >> parted);
  }

  /// The number of hashes of a consistency path; 0 when `from == to`.
  ///
  /// The path is that of leaf `from - 1` in the tree of `to`, begun at the largest complete subtree
  /// that ends there; this subtree itself comes first, unless it is the whole older tree.
  public static int consistencyPathLength(long from, long to) {
    checkSizes(from, to);
    if (from == to) {
      return 0;
    }
    int start = Long.numberOfTrailingZeros(from);
    int itself = from == 1L << start ? 0 : 1;
    return itself + inclusionPathLength(from - 1, to) - start;
  }

  /// The number of subtree roots outside a range, as {@link #outsideRange} lists them.
  public static int outsideRangeCount(long first, long count, long size) {
    checkRange(first, count, size);
    return coverCount(0, first) + coverCount(first + count, size);
  }

  /// The elements of an inclusion path (RFC 9162 section 2.1.3.1), from the leaf up.
  public static List<List<NodeId>> inclusionPath(long index, long size) {
    checkIndex(index, size);
    List<List<NodeId>> path = new ArrayList<>();
    addSiblings(path, index, 0, size);
    return List.copyOf(path);
  }

  /// The elements of a consistency path (RFC 9162 section 2.1.4.1), in its order; none when `from
  /// == to`.
  public static List<List<NodeId>> consistencyPath(long from, long to) {
    checkSizes(from, to);
    if (from == to) {
      return List.of();
    }
    int start = Long.numberOfTrailingZeros(from);
    List<List<NodeId>> path = new ArrayList<>();
    if (from != 1L << start) {
      path.add(List.of(new NodeId(start, (from - 1) >> start)));
    }
    addSiblings(path, from - 1, start, to);
    return List.copyOf(path);
  }

  /// The maximal complete subtrees of a tree of `size` outside the leaves `[first, first + count)`,
  /// left to right.
  public static List<NodeId> outsideRange(long first, long count, long size) {
    checkRange(first, count, size);
    List<NodeId> outside = new ArrayList<>(cover(0, first));
    outside.addAll(cover(first + count, size));
    return List.copyOf(outside);
  }

  /// The maximal complete subtrees inside the leaves `[from, to)`, left to right. Their {@link
  /// TreeHasher#foldRight} is the root of a tree of `to` leaves when `from` is 0 and `to` is not.
  public static List<NodeId> cover(long from, long to) {
    Objects.checkFromToIndex(from, to, SIZE_MAX);
    List<NodeId> nodes = new ArrayList<>();
    long position = from;
    while (position < to) {
      int level = largestLevel(position, to);
      nodes.add(new NodeId(level, position >> level));
      position += 1L << level;
    }
    return nodes;
  }

  /// The number of nodes at `level` of a tree of `size`, the ragged one included.
  static long width(long size, int level) {
    return ((size - 1) >> level) + 1;
  }

  private static void addSiblings(List<List<NodeId>> path, long index, int start, long size) {
    for (int level = start; width(size, level) > 1; level++) {
      long sibling = (index >> level) ^ 1;
      if (sibling < size >> level) {
        path.add(List.of(new NodeId(level, sibling)));
      } else if (sibling < width(size, level)) {
        path.add(List.copyOf(cover(sibling << level, size)));
      }
    }
  }

  private static int coverCount(long from, long to) {
    int count = 0;
    for (long position = from; position < to; count++) {
      position += 1L << largestLevel(position, to);
    }
    return count;
  }

  /// The level of the largest complete subtree that begins at `position` and ends by `to`.
  private static int largestLevel(long position, long to) {
    int fits = Long.SIZE - 1 - Long.numberOfLeadingZeros(to - position);
    return Math.min(fits, Long.numberOfTrailingZeros(position));
  }

  private static void checkIndex(long index, long size) {
    checkSize(size);
    Objects.checkIndex(index, size);
  }

  private static void checkSizes(long from, long to) {
    checkSize(to);
    if (from < 1 || from > to) {
      throw new IllegalArgumentException("from size " + from + " to size " + to);
    }
  }

  private static void checkRange(long first, long count, long size) {
    checkSize(size);
    Objects.checkFromIndexSize(first, count, size);
    if (count == 0) {
      throw new IllegalArgumentException("empty range at " + first);
    }
  }

  private static void checkSize(long size) {
    if (size < 1 || size > SIZE_MAX) {
      throw new IllegalArgumentException("tree size " + size);
    }
  }
}

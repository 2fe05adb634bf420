package io.tallystick.storage.clue;

/// Where the skip pointers of a list lead. They depend on the entry's index alone: the list of n
/// entries is a row of complete binary trees of 2^k − 1 entries each, small ones newest, at most
/// the two newest of one size; an entry is the root of the tree it ends, and skips that whole tree.
/// A new entry joins the two newest trees if they are of one size, and is a tree of its own if not.
/// So any entry is at most 3 log₂(n + 1) − 2 steps from the newest.
///
/// Source: E. Myers, An applicative random-access stack, Information Processing Letters 17, 1983.
final class SkipGeometry {
  /// The index before the first entry.
  static final long NONE = -1;

  private static final long JOINS = 1;

  private SkipGeometry() {}

  /// The index of the entry that entry `index` skips to, {@link #NONE} if there is none.
  static long skip(long index) {
    return index - newestTree(index + 1);
  }

  /// The entries of the newest tree of a list of `count`, at least 1.
  static long newestTree(long count) {
    long rest = count;
    long size = 0;
    while (rest > 0) {
      size = largestTree(rest);
      rest -= size;
    }
    return size;
  }

  /// The number of trees of a list of `count`: the roots are those on the way that only skips.
  static int treeCount(long count) {
    int trees = 0;
    for (long rest = count; rest > 0; trees++) {
      rest -= largestTree(rest);
    }
    return trees;
  }

  /// The trees of a list of `count`: bit k for one of 2^k − 1 entries, and bit 0 if the two newest
  /// are of one size.
  static long shape(long count) {
    long shape = 0;
    for (long rest = count; rest > 0; ) {
      long size = largestTree(rest);
      shape |= (shape & (size + 1)) == 0 ? size + 1 : JOINS;
      rest -= size;
    }
    return shape;
  }

  /// Whether the next entry joins the two newest trees, and skips both; else it skips none.
  static boolean nextJoins(long shape) {
    return (shape & JOINS) != 0;
  }

  /// The trees when one more entry has come.
  static long extended(long shape) {
    long joined = nextJoins(shape) ? Long.lowestOneBit(shape & ~JOINS) : JOINS;
    long rest = shape & ~JOINS & ~joined;
    long added = joined << 1;
    return rest | ((rest & added) == 0 ? added : JOINS);
  }

  /// The largest 2^k − 1 up to `count`.
  private static long largestTree(long count) {
    return Long.highestOneBit(count + 1) - 1;
  }
}

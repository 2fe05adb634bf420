package io.tallystick.storage.clue;

/// Where the skip pointers of a list lead. They depend on the entry's index alone: the list of n
/// entries is a row of complete binary trees of 2^k − 1 entries each, small ones newest, at most
/// the two newest of one size; an entry is the root of the tree it ends, and skips that whole tree.
/// A new entry joins the two newest trees if they are of one size, and is a tree of its own if not.
/// So any entry is at most about 2 log n steps from the newest.
///
/// Source: E. Myers, An applicative random-access stack, Information Processing Letters 17, 1983.
final class SkipGeometry {
  /// The index before the first entry.
  static final long NONE = -1;

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

  /// Whether the two newest trees of a list of `count` are of one size: then the next entry joins
  /// them and skips both, and else it skips none.
  static boolean nextJoins(long count) {
    long rest = count;
    while (rest > 0) {
      long size = largestTree(rest);
      rest -= size;
      if (rest == size) {
        return true;
      }
    }
    return false;
  }

  /// The largest 2^k − 1 up to `count`.
  private static long largestTree(long count) {
    return Long.highestOneBit(count + 1) - 1;
  }
}

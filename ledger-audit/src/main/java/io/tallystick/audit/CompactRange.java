package io.tallystick.audit;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;

/// The roots of the complete subtrees a growing RFC 9162 tree consists of, largest first: all that
/// is needed to go on. Allocation-free per leaf. Not thread-safe.
final class CompactRange {
  private static final int DEPTH_MAX = 64;

  private final BatchHasher hasher = BatchHasher.cpu();
  private final byte[] stack = new byte[DEPTH_MAX * Digest.BYTES];
  private int depth;
  private long size;

  /// @param hashes holds the next leaf hash, 32 bytes at `offset`
  void append(byte[] hashes, int offset) {
    System.arraycopy(hashes, offset, stack, depth * Digest.BYTES, Digest.BYTES);
    depth++;
    for (int joins = Long.numberOfTrailingZeros(~size); joins > 0; joins--) {
      int left = (depth - 2) * Digest.BYTES;
      hasher.parents(stack, left, 1, stack, left);
      depth--;
    }
    size++;
  }

  /// A range of `size` leaves with these subtrees, as {@link #subtrees} told them.
  void restore(long leaves, List<Digest> subtrees) {
    for (int i = 0; i < subtrees.size(); i++) {
      subtrees.get(i).copyInto(stack, i * Digest.BYTES);
    }
    depth = subtrees.size();
    size = leaves;
  }

  long size() {
    return size;
  }

  Digest root() {
    if (depth == 0) {
      return TreeHasher.EMPTY_ROOT;
    }
    return TreeHasher.foldRight(subtrees());
  }

  List<Digest> subtrees() {
    List<Digest> subtrees = new ArrayList<>(depth);
    for (int i = 0; i < depth; i++) {
      subtrees.add(Digest.of(stack, i * Digest.BYTES));
    }
    return subtrees;
  }
}

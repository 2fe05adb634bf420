package io.tallystick.audit.finding;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The roots of the complete subtrees a growing RFC 9162 tree consists of, largest first: all that
/// is needed to go on. Allocation-free per leaf. Not thread-safe.
public final class CompactRange {
  private static final int DEPTH_MAX = 64;

  private final BatchHasher hasher = BatchHasher.cpu();
  private final byte[] stack = new byte[DEPTH_MAX * Digest.BYTES];
  private int depth;
  private long size; // of what is in the stack

  /// Leaves `[begin, end)` of these are appended and not in the stack yet, so that few and large
  /// subtrees are put there.
  private @Nullable CompleteSubtrees pending;

  private int begin;
  private int end;

  /// @param hashes holds the next leaf hash, 32 bytes at `offset`
  public void append(byte[] hashes, int offset) {
    flush();
    System.arraycopy(hashes, offset, stack, depth * Digest.BYTES, Digest.BYTES);
    push(0);
  }

  /// Appends a leaf that is hashed, and so are the subtrees that it is in.
  ///
  /// @param leaf of these, the next of the tree
  public void append(CompleteSubtrees subtrees, int leaf) {
    if (subtrees.first() + leaf != size()) {
      throw new AssertionError(
          "leaf " + (subtrees.first() + leaf) + " is appended at size " + size());
    }
    if (pending != subtrees) {
      flush();
      pending = subtrees;
      begin = leaf;
    }
    end = leaf + 1;
  }

  private void flush() {
    CompleteSubtrees subtrees = pending;
    if (subtrees == null) {
      return;
    }
    while (begin < end) {
      int width = subtrees.width(begin, end);
      subtrees.copyRoot(begin, width, stack, depth * Digest.BYTES);
      push(Integer.numberOfTrailingZeros(width));
      begin += width;
    }
    pending = null;
    begin = 0;
    end = 0;
  }

  /// Takes the subtree of `2^level` leaves on top of the stack in.
  private void push(int level) {
    depth++;
    for (int joins = Long.numberOfTrailingZeros(~(size >> level)); joins > 0; joins--) {
      int left = (depth - 2) * Digest.BYTES;
      hasher.parents(stack, left, 1, stack, left);
      depth--;
    }
    size += 1L << level;
  }

  /// A range of `size` leaves with these subtrees, as {@link #subtrees} told them.
  public void restore(long leaves, List<Digest> subtrees) {
    flush();
    for (int i = 0; i < subtrees.size(); i++) {
      subtrees.get(i).copyInto(stack, i * Digest.BYTES);
    }
    depth = subtrees.size();
    size = leaves;
  }

  public long size() {
    return size + (end - begin);
  }

  public Digest root() {
    flush();
    if (depth == 0) {
      return TreeHasher.EMPTY_ROOT;
    }
    return TreeHasher.foldRight(subtrees());
  }

  public List<Digest> subtrees() {
    flush();
    List<Digest> subtrees = new ArrayList<>(depth);
    for (int i = 0; i < depth; i++) {
      subtrees.add(Digest.of(stack, i * Digest.BYTES));
    }
    return subtrees;
  }
}

package io.tallystick.audit.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A node of the open partition's tree. Its content never changes; its hash is remembered once it
/// is known. Not thread-safe. Source: `docs/formats/forest.md`.
abstract sealed class PartitionNode {
  private byte @Nullable [] hash;

  /// 0 for a leaf.
  abstract int level();

  /// Records of this node.
  abstract int count();

  /// Entries of all leaves below this node, or of this leaf.
  abstract long entryCount();

  /// Roughly what it takes in memory, its children not counted.
  abstract long bytes();

  final byte @Nullable [] hash() {
    return hash;
  }

  final void setHash(byte[] known) {
    hash = known;
  }

  /// Entries in ascending order of their keys, one behind the other.
  static final class Leaf extends PartitionNode {
    private static final long OBJECT_BYTES = 96;
    static final Leaf EMPTY = new Leaf(new byte[0], 0);

    final byte[] packed;
    private final int count;

    Leaf(byte[] packed, int count) {
      this.packed = packed;
      this.count = count;
    }

    @Override
    int level() {
      return 0;
    }

    @Override
    int count() {
      return count;
    }

    @Override
    long entryCount() {
      return count;
    }

    @Override
    long bytes() {
      return OBJECT_BYTES + packed.length;
    }
  }

  /// Children, and the keys at which they were cut.
  static final class Inner extends PartitionNode {
    private static final long OBJECT_BYTES = 136;
    private static final long SEPARATOR_BYTES = 24;

    private final int level;
    final PartitionNode[] children;

    /// One fewer than children.
    final byte[][] separators;

    private final long entryCount;

    Inner(int level, PartitionNode[] children, byte[][] separators) {
      this.level = level;
      this.children = children;
      this.separators = separators;
      long entries = 0;
      for (PartitionNode child : children) {
        entries += child.entryCount();
      }
      this.entryCount = entries;
    }

    @Override
    int level() {
      return level;
    }

    @Override
    int count() {
      return children.length;
    }

    @Override
    long entryCount() {
      return entryCount;
    }

    @Override
    long bytes() {
      long sum = OBJECT_BYTES;
      for (byte[] separator : separators) {
        sum += SEPARATOR_BYTES + separator.length;
      }
      return sum;
    }

    /// The number of separators that are not above the key.
    int slot(byte[] key) {
      int low = 0;
      int high = separators.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (Arrays.compareUnsigned(separators[middle], key) <= 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}

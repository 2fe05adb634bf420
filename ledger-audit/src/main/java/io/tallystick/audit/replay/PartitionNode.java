package io.tallystick.audit.replay;

import io.tallystick.model.Digest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A node of the open partition's tree. Its content never changes; its hash is remembered once it
/// is known. Not thread-safe. Source: `docs/formats/forest.md`.
abstract sealed class PartitionNode {
  private byte @Nullable [] hash;
  private byte @Nullable [] recordHash;

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

  /// The hash of the record by which its parent names it; null before {@link #setHash}.
  final byte @Nullable [] recordHash() {
    return recordHash;
  }

  void setHash(byte[] known, byte[] knownRecord) {
    hash = known;
    recordHash = knownRecord;
  }

  /// Entries in ascending order of their keys, one behind the other, and the hash of each as far as
  /// memory allows.
  static final class Leaf extends PartitionNode {
    private static final long OBJECT_BYTES = 176;
    static final Leaf EMPTY = new Leaf(new byte[0], new int[1]);

    final byte[] packed;

    /// Where each entry begins, and where the last one ends.
    private final int[] starts;

    private byte @Nullable [] recordHashes;
    private boolean keeps;

    /// A leaf that does not know the hashes of its entries.
    Leaf(byte[] packed, int[] starts) {
      this.packed = packed;
      this.starts = starts;
    }

    /// @param keeps whether it knows them still once it was hashed
    Leaf(byte[] packed, int[] starts, byte[] recordHashes, boolean keeps) {
      this(packed, starts);
      this.recordHashes = recordHashes;
      this.keeps = keeps;
    }

    /// 32 bytes of each entry; null if they are not known.
    byte @Nullable [] recordHashes() {
      return recordHashes;
    }

    @Override
    void setHash(byte[] known, byte[] knownRecord) {
      super.setHash(known, knownRecord);
      if (!keeps) {
        recordHashes = null;
      }
    }

    /// Keeps the hashes of its entries no more.
    void dropRecordHashes() {
      keeps = false;
      recordHashes = null;
    }

    int[] starts() {
      return starts;
    }

    /// Where an entry begins; of {@link #count}, where the last one ends.
    int start(int index) {
      return starts[index];
    }

    /// The index of the first entry from `from` on whose key is not below a key.
    int firstAtLeast(byte[] key, int from) {
      int low = from;
      int high = count();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (compareKey(middle, key) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    /// The key of an entry against another, as strings of unsigned bytes.
    int compareKey(int index, byte[] key) {
      int at = StateEntryView.keyAt(packed, starts[index]);
      int length = StateEntryView.keyLength(packed, starts[index]);
      return Arrays.compareUnsigned(packed, at, at + length, key, 0, key.length);
    }

    @Override
    int level() {
      return 0;
    }

    @Override
    int count() {
      return starts.length - 1;
    }

    @Override
    long entryCount() {
      return count();
    }

    @Override
    long bytes() {
      return OBJECT_BYTES
          + packed.length
          + (long) count() * (Integer.BYTES + (keeps ? Digest.BYTES : 0));
    }
  }

  /// Children, and the keys at which they were cut.
  static final class Inner extends PartitionNode {
    private static final long OBJECT_BYTES = 200;
    private static final long SEPARATOR_BYTES = 24;
    private static final long TREE_BYTES = 2 * Digest.BYTES;

    private final int level;
    final PartitionNode[] children;

    /// One fewer than children.
    final byte[][] separators;

    private final long entryCount;
    private byte @Nullable [][] tree;

    Inner(int level, PartitionNode[] children, byte[][] separators) {
      this(level, children, separators, null);
    }

    /// @param tree of the node whose place it takes; null if there is none
    Inner(int level, PartitionNode[] children, byte[][] separators, byte @Nullable [][] tree) {
      this.level = level;
      this.children = children;
      this.separators = separators;
      this.tree = tree;
      long entries = 0;
      for (PartitionNode child : children) {
        entries += child.entryCount();
      }
      this.entryCount = entries;
    }

    /// The hashes of the RFC 9162 tree over its records, level by level from the records on; before
    /// it is hashed those of the node whose place it took. They are its caller's then.
    byte @Nullable [][] takeTree() {
      byte[][] taken = tree;
      tree = null;
      return taken;
    }

    void setTree(byte[][] own) {
      tree = own;
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
      long sum = OBJECT_BYTES + children.length * TREE_BYTES;
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

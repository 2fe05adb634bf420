package io.tallystick.audit.replay;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A node of the replayed trie, with the hash by which its parent knows it, once that is known.
/// Every encoding here has 32 bytes or more, so no node is embedded in its parent. Not thread-safe.
abstract sealed class ReplayNode {
  static final int HASH_BYTES = 32;
  static final int NIBBLES = 64;
  static final int RADIX = 16;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private long hash0;
  private long hash1;
  private long hash2;
  private long hash3;
  private boolean hashed;

  final boolean hashed() {
    return hashed;
  }

  /// To be called when anything below, or the parent's depth, changes.
  final void forgetHash() {
    hashed = false;
  }

  final void setHash(byte[] source, int offset) {
    hash0 = (long) LONG.get(source, offset);
    hash1 = (long) LONG.get(source, offset + 8);
    hash2 = (long) LONG.get(source, offset + 16);
    hash3 = (long) LONG.get(source, offset + 24);
    hashed = true;
  }

  final void copyHash(byte[] target, int offset) {
    LONG.set(target, offset, hash0);
    LONG.set(target, offset + 8, hash1);
    LONG.set(target, offset + 16, hash2);
    LONG.set(target, offset + 24, hash3);
  }

  static int nibble(byte[] key, int index) {
    int both = key[index / 2] & 0xff;
    return index % 2 == 0 ? both >>> 4 : both & 15;
  }

  /// The first nibble from `from` on, and below `to`, in which two keys differ; `to` if in none.
  static int firstDifference(byte[] a, byte[] b, int from, int to) {
    for (int i = from; i < to; i++) {
      if (nibble(a, i) != nibble(b, i)) {
        return i;
      }
    }
    return to;
  }

  /// Roughly what it takes in memory, its children not counted.
  abstract long bytes();

  /// A clue: what the trie's value says of it, and the roots of the complete subtrees of its own
  /// tree, largest first, which is what makes that go on.
  static final class Clue extends ReplayNode {
    private static final long OBJECT_BYTES = 160;

    final byte[] key;
    long count;
    long deletedJsn;
    byte[] subtrees = new byte[HASH_BYTES];

    Clue(byte[] key) {
      this.key = key;
    }

    @Override
    long bytes() {
      return OBJECT_BYTES + subtrees.length;
    }

    /// Makes room for one subtree more than there are.
    void makeRoom() {
      int wanted = (Long.bitCount(count) + 1) * HASH_BYTES;
      if (subtrees.length < wanted) {
        subtrees = Arrays.copyOf(subtrees, wanted);
      }
    }
  }

  /// A branch, and the extension above it if there is one: its depth says which.
  static final class Branch extends ReplayNode {
    private static final long OBJECT_BYTES = 240;

    /// Any key below.
    final byte[] key;

    /// How many nibbles all keys below have in common.
    final int depth;

    final @Nullable ReplayNode[] children = new @Nullable ReplayNode[RADIX];

    /// All below, spilled or not.
    long clues;

    /// When a key was last looked for below.
    long touched;

    Branch(byte[] key, int depth) {
      this.key = key;
      this.depth = depth;
    }

    @Override
    long bytes() {
      return OBJECT_BYTES;
    }
  }

  /// A branch and all below it, in the spill file.
  static final class Spilled extends ReplayNode {
    private static final long OBJECT_BYTES = 80;

    final long position;
    final int size;
    final int checksum;
    final long clues;

    Spilled(long position, int size, int checksum, long clues) {
      this.position = position;
      this.size = size;
      this.checksum = checksum;
      this.clues = clues;
    }

    @Override
    long bytes() {
      return OBJECT_BYTES;
    }
  }
}

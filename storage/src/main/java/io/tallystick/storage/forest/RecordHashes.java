package io.tallystick.storage.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.List;

/// Computes the RFC 9162 trees over the records of many leaves in bulk, level by level. A leaf that
/// was made of another takes over each hash whose records are the same and lie at the same place of
/// their subtree: after a replaced record all but one path, after an added one all left of it. One
/// thread's.
///
/// A tree is one array: its levels from the record hashes up, 32 bytes a hash; a last hash without
/// a partner is repeated on the level above.
final class RecordHashes {
  private static final int NONE = -1; // not in the old leaf

  private final CborWriter messages;
  private int[] offsets = new int[1];
  private byte[] made = {};
  private int[] origins = {}; // per hash of the level: its place on the old leaf's level
  private int count; // of hashes to be made

  /// The tree of one leaf while it is made.
  private static final class Tree {
    final byte[] hashes;
    final byte[] old;
    int width;
    int level; // place of the level's first hash
    int oldWidth;
    int oldLevel;

    Tree(int count, byte[] old, int oldCount) {
      this.hashes = new byte[nodes(count) * Digest.BYTES];
      this.old = old;
      this.width = count;
      this.oldWidth = oldCount;
    }

    boolean isRepeatedInOld(int origin) {
      return oldWidth > 1 && oldWidth % 2 == 1 && origin == oldWidth - 1;
    }

    void takeOver(int origin, int place) {
      System.arraycopy(
          old, (oldLevel + origin) * Digest.BYTES, hashes, place * Digest.BYTES, Digest.BYTES);
    }

    void goUp() {
      level += width;
      width = above(width);
      oldLevel += oldWidth;
      oldWidth = above(oldWidth);
    }
  }

  /// @param messages a buffer that it may use
  RecordHashes(CborWriter messages) {
    this.messages = messages;
  }

  private static int above(int width) {
    return width / 2 + width % 2;
  }

  /// Hashes of a tree over `count` records.
  static int nodes(int count) {
    int nodes = count;
    for (int width = count; width > 1; ) {
      width = above(width);
      nodes += width;
    }
    return nodes;
  }

  /// Gives each leaf its tree.
  ///
  /// @param records of all leaves together
  /// @param roots where the trees' roots go, 32 bytes each
  void compute(List<LeafPage> leaves, int records, byte[] roots, BatchHasher hasher) {
    made = made.length < records * Digest.BYTES ? new byte[records * Digest.BYTES] : made;
    origins = origins.length < records ? new int[records] : origins;
    Tree[] trees = new Tree[leaves.size()];
    hashRecords(leaves, trees, hasher);
    while (joinPairs(trees, hasher)) {
      // the next level
    }
    for (int i = 0; i < trees.length; i++) {
      byte[] hashes = trees[i].hashes;
      System.arraycopy(hashes, hashes.length - Digest.BYTES, roots, i * Digest.BYTES, Digest.BYTES);
      leaves.get(i).recordHashes(hashes);
    }
  }

  private void hashRecords(List<LeafPage> leaves, Tree[] trees, BatchHasher hasher) {
    messages.reset();
    count = 0;
    int first = 0;
    for (int i = 0; i < trees.length; i++) {
      LeafPage leaf = leaves.get(i);
      LeafPage.Origin origin = leaf.origin();
      Tree tree = new Tree(leaf.count(), origin.hashes(), origin.count());
      trees[i] = tree;
      for (int k = 0; k < tree.width; k++) {
        int from = origin.of(k);
        origins[first + k] = from;
        if (from == NONE) {
          leaf.encodeRecord(k, messages);
          endMessage();
        } else {
          tree.takeOver(from, k);
        }
      }
      first += tree.width;
    }
    if (count > 0) {
      hasher.leaves(messages.buffer(), offsets, count, made, 0);
    }
    int next = 0;
    first = 0;
    for (Tree tree : trees) {
      for (int k = 0; k < tree.width; k++) {
        if (origins[first + k] == NONE) {
          put(next++, tree, k);
        }
      }
      first += tree.width;
    }
  }

  private void endMessage() {
    if (++count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
    }
    offsets[count] = messages.length();
  }

  private void put(int from, Tree tree, int place) {
    System.arraycopy(made, from * Digest.BYTES, tree.hashes, place * Digest.BYTES, Digest.BYTES);
  }

  /// Makes the next level of each tree that has more than one hash on its newest.
  ///
  /// @return false once there is none
  private boolean joinPairs(Tree[] trees, BatchHasher hasher) {
    int joined = gather(trees);
    if (joined == NONE) {
      return false;
    }
    if (joined > 0) {
      hasher.parents(made, 0, joined, made, 0);
    }
    int next = 0;
    int first = 0;
    for (Tree tree : trees) {
      if (tree.width == 1) {
        first++;
        continue;
      }
      int pairs = tree.width / 2;
      for (int k = 0; k < pairs; k++) {
        if (origins[first + k] == NONE) {
          put(next++, tree, tree.level + tree.width + k);
        }
      }
      tree.goUp();
      first += tree.width;
    }
    return true;
  }

  /// Copies the pairs that are to be joined to {@link #made}, and the others' parents to the level
  /// above. Origins of that level take the place of those of this one, never behind where they are
  /// read.
  ///
  /// @return how many pairs; {@link #NONE} if every tree is finished
  private int gather(Tree[] trees) {
    int pairs = 0;
    int from = 0;
    int to = 0;
    boolean finished = true;
    for (Tree tree : trees) {
      int above = tree.level + tree.width;
      if (tree.width == 1) {
        origins[to++] = origins[from++];
        continue;
      }
      finished = false;
      for (int k = 0; k + 1 < tree.width; k += 2) {
        int left = origins[from + k];
        boolean known = left != NONE && left % 2 == 0 && origins[from + k + 1] == left + 1;
        if (known) {
          takeOverAbove(tree, left / 2, above + k / 2);
        } else {
          System.arraycopy(
              tree.hashes,
              (tree.level + k) * Digest.BYTES,
              made,
              2 * Digest.BYTES * pairs++,
              2 * Digest.BYTES);
        }
        origins[to++] = known ? left / 2 : NONE;
      }
      if (tree.width % 2 == 1) {
        int last = origins[from + tree.width - 1];
        System.arraycopy(
            tree.hashes,
            (above - 1) * Digest.BYTES,
            tree.hashes,
            (above + tree.width / 2) * Digest.BYTES,
            Digest.BYTES);
        origins[to++] = last != NONE && tree.isRepeatedInOld(last) ? last / 2 : NONE;
      }
      from += tree.width;
    }
    return finished ? NONE : pairs;
  }

  private static void takeOverAbove(Tree tree, int origin, int place) {
    System.arraycopy(
        tree.old,
        (tree.oldLevel + tree.oldWidth + origin) * Digest.BYTES,
        tree.hashes,
        place * Digest.BYTES,
        Digest.BYTES);
  }
}

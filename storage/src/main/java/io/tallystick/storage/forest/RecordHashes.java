package io.tallystick.storage.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.List;

/// Computes the RFC 9162 trees over the records of many pages of one level in bulk, level by level.
/// A page that was made of another takes over each hash whose records are the same and lie at the
/// same place of their subtree: after a replaced record all but one path, after an added one all
/// left of it. It takes the array of the other's hashes over as well, where they fit. One thread's.
///
/// A tree is one array: its levels from the record hashes up, 32 bytes a hash; a last hash without
/// a partner is repeated on the level above.
final class RecordHashes {
  private static final int NONE = -1; // not in the old page
  private static final int SPARE_RECORDS = 4; // for which a new array has room

  private final CborWriter messages;
  private int[] offsets = new int[1];
  private byte[] made = {};
  private byte[] trees = {}; // one behind the other
  private int[] origins = {}; // per hash of the level: its place on the old page's level
  private int count; // of hashes to be made

  /// The tree of one page while it is made.
  private static final class Tree {
    final byte[] hashes; // of all trees
    final int first; // place of its first hash
    final ForestPage.Origin origin;
    final byte[] old;
    int width;
    int level; // place of the level's first hash
    int oldWidth;
    int oldLevel;

    Tree(byte[] hashes, int first, int count, ForestPage.Origin origin) {
      this.hashes = hashes;
      this.first = first;
      this.origin = origin;
      this.old = origin.hashes();
      this.width = count;
      this.level = first;
      this.oldWidth = origin.count();
    }

    /// The tree by itself, in the array of the old one if it fits there.
    byte[] toKeep(int count) {
      int bytes = nodes(count) * Digest.BYTES;
      byte[] kept =
          origin.isAlone() && old.length >= bytes
              ? old
              : new byte[nodes(count + SPARE_RECORDS) * Digest.BYTES];
      System.arraycopy(hashes, first * Digest.BYTES, kept, 0, bytes);
      return kept;
    }

    boolean isRepeatedInOld(int origin) {
      return oldWidth > 1 && oldWidth % 2 == 1 && origin == oldWidth - 1;
    }

    void takeOver(int origin, int place, int count) {
      System.arraycopy(
          old,
          (oldLevel + origin) * Digest.BYTES,
          hashes,
          place * Digest.BYTES,
          count * Digest.BYTES);
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

  /// Gives each page its tree.
  ///
  /// @param records of all pages together
  /// @param roots where the trees' roots go, 32 bytes each
  void compute(List<? extends ForestPage> pages, int records, byte[] roots, BatchHasher hasher) {
    made = made.length < records * Digest.BYTES ? new byte[records * Digest.BYTES] : made;
    origins = origins.length < records ? new int[records] : origins;
    Tree[] all = begin(pages);
    hashRecords(pages, all, hasher);
    while (joinPairs(all, hasher)) {
      // the next level
    }
    for (int i = 0; i < all.length; i++) {
      System.arraycopy(trees, all[i].level * Digest.BYTES, roots, i * Digest.BYTES, Digest.BYTES);
      pages.get(i).recordHashes(all[i].toKeep(pages.get(i).count()));
    }
  }

  private Tree[] begin(List<? extends ForestPage> pages) {
    int nodes = 0;
    for (ForestPage page : pages) {
      nodes += nodes(page.count());
    }
    trees = trees.length < nodes * Digest.BYTES ? new byte[nodes * Digest.BYTES] : trees;
    Tree[] all = new Tree[pages.size()];
    int first = 0;
    for (int i = 0; i < all.length; i++) {
      ForestPage page = pages.get(i);
      all[i] = new Tree(trees, first, page.count(), page.origin());
      first += nodes(page.count());
    }
    return all;
  }

  private void hashRecords(List<? extends ForestPage> pages, Tree[] all, BatchHasher hasher) {
    messages.reset();
    count = 0;
    int first = 0;
    for (int i = 0; i < all.length; i++) {
      ForestPage page = pages.get(i);
      Tree tree = all[i];
      int k = 0;
      while (k < tree.width) {
        int from = tree.origin.of(k);
        int run = k;
        if (from == NONE) {
          origins[first + k++] = NONE;
          page.encodeRecord(run, messages);
          endMessage();
        } else {
          do {
            origins[first + k] = from + k - run;
            k++;
          } while (k < tree.width && tree.origin.of(k) == from + k - run);
          tree.takeOver(from, tree.level + run, k - run);
        }
      }
      first += tree.width;
    }
    if (count > 0) {
      hasher.leaves(messages.buffer(), offsets, count, made, 0);
    }
    int next = 0;
    first = 0;
    for (Tree tree : all) {
      for (int k = 0; k < tree.width; k++) {
        if (origins[first + k] == NONE) {
          put(next++, tree, tree.level + k);
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
  private boolean joinPairs(Tree[] all, BatchHasher hasher) {
    int joined = gather(all);
    if (joined == NONE) {
      return false;
    }
    if (joined > 0) {
      hasher.parents(made, 0, joined, made, 0);
    }
    int next = 0;
    int first = 0;
    for (Tree tree : all) {
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
  private int gather(Tree[] all) {
    int pairs = 0;
    int from = 0;
    int to = 0;
    boolean finished = true;
    for (Tree tree : all) {
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

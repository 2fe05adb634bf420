package io.tallystick.server.seal;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Fills an index of a strand again from the journals in the commit stream, block by block. After
/// each block it must have the sealed root. The journals are compared with the tree's leaf hashes
/// on the way. One owner thread. Source: `docs/operations.md`, "Damage".
public final class IndexRebuild {
  private static final long NO_HEIGHT = -1;

  private final BlockIndexStore<?> store;
  private final LeafBuilder leaves;

  /// Is told of rebuilds, on the owner's thread.
  public interface Watch {
    /// Ignores everything.
    Watch NONE = new Watch() {};

    /// How much is to be done, if the caller asked for it.
    default void planned(int strands, long leaves) {}

    /// The journals up to so many leaves are those of the tree; called before anything is deleted.
    default void isChecked(StrandId strand, long leaves) {}

    /// @param why the damage that was found; null if an operator asked for the rebuild
    default void begins(StrandId strand, long leaves, @Nullable CorruptStreamException why) {}

    /// An index goes back to an older version of itself, from which it is filled again.
    ///
    /// @param height of the block that left that version
    default void rollsBack(StrandId strand, long height, CorruptStreamException why) {}

    /// It is whole again.
    default void rolledBack(StrandId strand) {}

    default void isAt(StrandId strand, long leaves, long all) {}

    default void ended(StrandId strand, Rebuilt rebuilt) {}
  }

  /// The counts of a rebuild that has ended.
  ///
  /// @param keys clues of a clue index; those of a state are not counted: 0
  /// @param entries of all keys
  /// @param lostNodes damaged nodes of the old index: the slots of what lies below them stay taken;
  ///   -1 if not even its root was found
  public record Rebuilt(long blocks, long leaves, long keys, long entries, long lostNodes) {}

  /// Hears of each block, on the owner's thread.
  @FunctionalInterface
  public interface Progress {
    /// The index holds so many leaves.
    void isAt(long leaves) throws IOException, CorruptStreamException;
  }

  public IndexRebuild(BlockIndexStore<?> store, BatchHasher hasher) {
    this.store = store;
    this.leaves = new LeafBuilder(hasher);
  }

  /// Adds all sealed blocks.
  ///
  /// @param filling an empty one
  /// @param image of what was purged
  /// @throws CorruptStreamException if the journals are damaged, or make another root than was
  ///   sealed
  public void fill(
      StrandIndex strand,
      StoredBlocks stored,
      BlockIndex filling,
      IndexImage image,
      Progress progress)
      throws IOException, CorruptStreamException {
    fill(strand, stored, filling, image, 0, progress);
  }

  /// Adds the blocks above one, which `filling` holds.
  ///
  /// @throws CorruptStreamException as the other; also if `filling` has another root than that
  ///   block sealed
  public void fillAbove(
      StrandIndex strand, StoredBlocks stored, BlockIndex filling, long height, Progress progress)
      throws IOException, CorruptStreamException {
    checkRoot(strand, height, strand.block(height), filling.view().root());
    fill(strand, stored, filling, IndexImage.NONE, height + 1, progress);
  }

  private void fill(
      StrandIndex strand,
      StoredBlocks stored,
      BlockIndex filling,
      IndexImage image,
      long first,
      Progress progress)
      throws IOException, CorruptStreamException {
    SealedHead head = strand.head();
    long purged = head.governance().removals().lastPurge().map(Purge::height).orElse(NO_HEIGHT);
    for (long height = first; height < head.blocks(); height++) {
      BlockRow row = strand.block(height);
      Digest root;
      if (height <= image.lastHeight()) {
        root = addImage(strand, filling, image, height, row);
      } else if (height <= purged) {
        root = filling.view().root(); // without an image: the feature was not on yet
      } else {
        root = add(strand, stored, filling, height, row);
      }
      checkRoot(strand, height, row, root);
      progress.isAt(row.size());
    }
  }

  private Digest addImage(
      StrandIndex strand, BlockIndex filling, IndexImage image, long height, BlockRow row)
      throws IOException, CorruptStreamException {
    if (!strand.head().governance().features().isOn(store.feature(), height)) {
      return filling.view().root();
    }
    byte[] hashes = new byte[(int) (row.sealJsn() - row.firstJsn()) * Digest.BYTES];
    strand.accumulator().leafHashes(row.firstJsn(), hashes.length / Digest.BYTES, hashes, 0);
    return image.apply(height, row, hashes);
  }

  private Digest add(
      StrandIndex strand, StoredBlocks stored, BlockIndex filling, long height, BlockRow row)
      throws IOException, CorruptStreamException {
    BlockInfo block = stored.block(strand.strand(), row);
    byte[] hashes = leaves.leafHashes(block);
    JournalCheck.checkLeaves(strand.accumulator(), strand.strand(), row, hashes);
    Digest root = filling.view().root();
    if (!block.genesis()
        && strand.head().governance().features().isOn(store.feature(), height)
        && store.isChangedBy(block)) {
      root = filling.apply(block, row.place(), hashes);
    }
    return root;
  }

  private void checkRoot(StrandIndex strand, long height, BlockRow row, Digest root)
      throws CorruptStreamException {
    Digest sealed = store.feature() == Feature.CLUE_TRIE ? row.clueRoot() : row.stateRoot();
    if (!root.equals(sealed)) {
      throw new CorruptStreamException(
          "blocks of " + strand.strand(),
          height * BlockRow.BYTES,
          String.format(
              Locale.ROOT,
              "block %d was sealed with %s root %s, its journals make %s",
              height,
              store.feature() == Feature.CLUE_TRIE ? "clue" : "state",
              sealed,
              root));
    }
  }
}

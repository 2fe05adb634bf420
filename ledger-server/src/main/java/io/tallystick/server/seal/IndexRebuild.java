package io.tallystick.server.seal;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.Digest;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Fills an index of a strand again from the journals in the commit stream, block by block. After
/// each block it must have the sealed root. The journals are compared with the tree's leaf hashes
/// on the way. One owner thread. Source: `docs/operations.md`, "Damage".
public final class IndexRebuild {
  private final BlockIndexStore store;
  private final LeafBuilder leaves;

  /// Hears of each block, on the owner's thread.
  @FunctionalInterface
  public interface Progress {
    /// The index holds so many leaves.
    void isAt(long leaves) throws IOException, CorruptStreamException;
  }

  public IndexRebuild(BlockIndexStore store, BatchHasher hasher) {
    this.store = store;
    this.leaves = new LeafBuilder(hasher);
  }

  /// Adds all sealed blocks.
  ///
  /// @param filling an empty one
  /// @throws CorruptStreamException if the journals are damaged, or make another root than was
  ///   sealed
  public void fill(StrandIndex strand, StoredBlocks stored, BlockIndex filling, Progress progress)
      throws IOException, CorruptStreamException {
    SealedHead head = strand.head();
    for (long height = 0; height < head.blocks(); height++) {
      BlockRow row = strand.block(height);
      add(strand, stored, filling, height, row);
      progress.isAt(row.size());
    }
  }

  private void add(
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
    Digest sealed = store.feature() == Feature.CLUE_TRIE ? row.clueRoot() : row.stateRoot();
    if (!root.equals(sealed)) {
      throw new CorruptStreamException(
          "blocks of " + strand.strand(),
          height * BlockRow.BYTES,
          "block %d was sealed with %s root %s, its journals make %s"
              .formatted(
                  height, store.feature() == Feature.CLUE_TRIE ? "clue" : "state", sealed, root));
    }
  }
}

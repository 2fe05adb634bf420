package io.tallystick.server.clue;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.JournalCheck;
import io.tallystick.server.seal.LeafBuilder;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Rebuilds the clue index and the clue trie of a strand from the journals in the commit stream,
/// block by block. After each block the trie must have the sealed root. The journals are compared
/// with the tree's leaf hashes on the way. Memory is bounded. The result counts from the shard's
/// next savepoint; after a crash before it the rebuild is started over. One owner thread. Source:
/// `docs/operations.md`, "Damage".
public final class ClueRebuild {
  private final ClueStores stores;
  private final LeafBuilder leaves;
  private final Watch watch;

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

    default void isAt(StrandId strand, long leaves, long all) {}

    default void ended(StrandId strand, Rebuilt rebuilt) {}
  }

  /// What a rebuild has made.
  ///
  /// @param entries of all clues
  /// @param lostNodes damaged nodes of the old trie: the slots of what lies below them stay taken;
  ///   -1 if not even its root was found
  public record Rebuilt(long blocks, long leaves, long clues, long entries, long lostNodes) {}

  ClueRebuild(ClueStores stores, BatchHasher hasher, Watch watch) {
    this.stores = stores;
    this.leaves = new LeafBuilder(hasher);
    this.watch = watch;
  }

  /// The clues as after the newest sealed block.
  ///
  /// @param broken what is open of them, closed by this
  /// @throws CorruptStreamException if the journals are damaged, or make another root than was
  ///   sealed
  StrandClues run(
      StrandIndex strand,
      StoredBlocks stored,
      @Nullable StrandClues broken,
      @Nullable CorruptStreamException why)
      throws IOException, CorruptStreamException {
    SealedHead head = strand.head();
    watch.begins(strand.strand(), head.size(), why);
    StrandClues clues = stores.startOver(strand.strand(), broken);
    boolean done = false;
    try {
      for (long height = 0; height < head.blocks(); height++) {
        BlockRow row = strand.block(height);
        add(clues, strand, stored, height, row);
        stores.relieve(clues);
        watch.isAt(strand.strand(), row.size(), head.size());
      }
      long lostNodes = stores.publish(clues, head.clues().root());
      done = true;
      watch.ended(
          strand.strand(),
          new Rebuilt(
              head.blocks(), head.size(), clues.clueCount(), clues.index().cellCount(), lostNodes));
      return clues;
    } finally {
      if (!done) {
        clues.close();
      }
    }
  }

  private void add(
      StrandClues clues, StrandIndex strand, StoredBlocks stored, long height, BlockRow row)
      throws IOException, CorruptStreamException {
    BlockInfo block = stored.block(strand.strand(), row);
    byte[] hashes = leaves.leafHashes(block);
    JournalCheck.checkLeaves(strand.accumulator(), strand.strand(), row, hashes);
    Digest root = clues.view().root();
    if (!block.genesis()
        && strand.head().governance().features().isOn(Feature.CLUE_TRIE, height)
        && NamedClues.anyIn(block)) {
      root = clues.apply(block, hashes);
    }
    if (!root.equals(row.clueRoot())) {
      throw new CorruptStreamException(
          "blocks of " + strand.strand(),
          height * BlockRow.BYTES,
          "block %d was sealed with clue root %s, its journals make %s"
              .formatted(height, row.clueRoot(), root));
    }
  }
}

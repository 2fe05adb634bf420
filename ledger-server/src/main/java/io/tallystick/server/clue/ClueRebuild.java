package io.tallystick.server.clue;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.model.StrandId;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Rebuilds the clue index and the clue trie of a strand from its sealed blocks, as {@link
/// IndexRebuild} says. Memory is bounded. The result counts from the shard's next savepoint; after
/// a crash before it the rebuild is started over. One owner thread. Source: `docs/operations.md`,
/// "Damage".
public final class ClueRebuild {
  private final ClueStores stores;
  private final IndexRebuild fill;
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
    this.fill = new IndexRebuild(stores, hasher);
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
      fill.fill(
          strand,
          stored,
          clues,
          filled -> {
            stores.relieve(clues);
            watch.isAt(strand.strand(), filled, head.size());
          });
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
}

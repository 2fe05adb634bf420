package io.tallystick.server.clue;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.IndexImage;
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
final class ClueRebuild {
  private final ClueStores stores;
  private final IndexRebuild fill;
  private final IndexRebuild.Watch watch;

  ClueRebuild(ClueStores stores, BatchHasher hasher, IndexRebuild.Watch watch) {
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
    try (IndexImage image = stores.image(strand, clues)) {
      fill.fill(
          strand,
          stored,
          clues,
          image,
          filled -> {
            stores.relieve(clues);
            watch.isAt(strand.strand(), filled, head.size());
          });
      long lostNodes = stores.publish(clues, head.clues().root());
      done = true;
      watch.ended(
          strand.strand(),
          new IndexRebuild.Rebuilt(
              head.blocks(), head.size(), clues.clueCount(), clues.index().cellCount(), lostNodes));
      return clues;
    } finally {
      if (!done) {
        clues.close();
      }
    }
  }
}

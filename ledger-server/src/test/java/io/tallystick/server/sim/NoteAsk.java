package io.tallystick.server.sim;

import io.tallystick.node.KeptAnchor;
import io.tallystick.node.KeptProposal;
import io.tallystick.server.shard.Shard;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A change of noted rows that a client asks for.
sealed interface NoteAsk {
  SimLedger ledger();

  /// Gives it to the shard.
  CompletableFuture<?> hand(Shard up);

  /// Whether it is done on a full disk, too: it only deletes.
  default boolean makesRoom() {
    return false;
  }

  /// @param before null if none is expected
  record Replace(SimLedger ledger, @Nullable KeptProposal before, KeptProposal after)
      implements NoteAsk {
    @Override
    public CompletableFuture<?> hand(Shard up) {
      return up.tables().proposals().replaceLater(before, after);
    }
  }

  /// @param kept that takes signatures
  record Remove(SimLedger ledger, KeptProposal kept) implements NoteAsk {
    @Override
    public CompletableFuture<?> hand(Shard up) {
      return up.tables().proposals().removeLater(kept);
    }

    @Override
    public boolean makesRoom() {
      return true;
    }
  }

  record DropGone(SimLedger ledger) implements NoteAsk {
    @Override
    public CompletableFuture<?> hand(Shard up) {
      return up.tables().proposals().dropGoneLater(ledger.strand.ledger());
    }

    @Override
    public boolean makesRoom() {
      return true;
    }
  }

  record Keep(SimLedger ledger, KeptAnchor anchor) implements NoteAsk {
    @Override
    public CompletableFuture<?> hand(Shard up) {
      return up.tables().anchors().keepLater(anchor);
    }
  }
}

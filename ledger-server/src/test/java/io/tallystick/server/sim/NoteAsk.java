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
  CompletableFuture<Boolean> hand(Shard up);

  /// Whether only the opening of the shard that was asked may decide it.
  default boolean isOfOneOpening() {
    return true;
  }

  /// @param before null if none is expected
  record Replace(SimLedger ledger, @Nullable KeptProposal before, KeptProposal after)
      implements NoteAsk {
    @Override
    public CompletableFuture<Boolean> hand(Shard up) {
      return up.tables().proposals().replaceLater(before, after);
    }
  }

  /// @param kept that takes signatures
  record Remove(SimLedger ledger, KeptProposal kept) implements NoteAsk {
    @Override
    public CompletableFuture<Boolean> hand(Shard up) {
      return up.tables().proposals().removeLater(kept);
    }
  }

  record DropGone(SimLedger ledger) implements NoteAsk {
    @Override
    public CompletableFuture<Boolean> hand(Shard up) {
      return up.tables().proposals().dropGoneLater(ledger.strand.ledger());
    }
  }

  record Keep(SimLedger ledger, KeptAnchor anchor) implements NoteAsk {
    @Override
    public CompletableFuture<Boolean> hand(Shard up) {
      return up.tables().anchors().keepLater(anchor);
    }

    @Override
    public boolean isOfOneOpening() {
      return false;
    }
  }
}

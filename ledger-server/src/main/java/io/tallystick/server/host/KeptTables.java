package io.tallystick.server.host;

import io.tallystick.server.anchor.AnchorTable;
import io.tallystick.server.proposal.ProposalTable;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// The tables that a shard keeps in the meta store beside its savepoints. A log is complete without
/// it.
record KeptTables(ProposalTable proposals, AnchorTable anchors) {
  /// @param time by which proposals expire
  /// @throws CorruptStreamException if a row does not decode
  static KeptTables open(ShardStorage storage, LedgerTime time)
      throws IOException, CorruptStreamException {
    return new KeptTables(
        ProposalTable.open(storage.meta(), time), AnchorTable.open(storage.meta()));
  }
}

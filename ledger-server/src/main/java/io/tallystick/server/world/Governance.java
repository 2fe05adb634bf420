package io.tallystick.server.world;

import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.RequestRejectedException;

/// A ledger's members and features at one jsn, from genesis and governance journals. Immutable, so
/// that the sequencer, the indexer and readers each hold the version they need.
public record Governance(MemberTable members, FeatureTable features) {
  public static Governance ofGenesis(GenesisParams genesis) {
    return new Governance(MemberTable.ofGenesis(genesis), FeatureTable.ofGenesis(genesis));
  }

  /// After a journal, in force from `jsn` + 1. A journal that governs nothing leaves it as it is.
  ///
  /// @param height of the journal's block
  /// @throws RequestRejectedException as {@link MemberTable#after} and {@link FeatureTable#after}
  public Governance after(RequestHeader header, long jsn, long height)
      throws RequestRejectedException {
    if (header.extension() instanceof Extension.Parameters parameters) {
      return new Governance(members, features.after(parameters, height));
    }
    MemberTable after = members.after(header, jsn);
    return after == members ? this : new Governance(after, features);
  }
}

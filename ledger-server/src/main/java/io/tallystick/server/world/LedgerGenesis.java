package io.tallystick.server.world;

import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerName;

/// The immutable part of a ledger: its genesis and the opening of its name.
///
/// @param paramsBytes canonical GenesisParams
public record LedgerGenesis(LedgerId id, Bytes paramsBytes, GenesisParams params, LedgerName name) {
  private static final LedgerName NO_NAME = new LedgerName(Digest.ZERO, "");

  public static LedgerGenesis of(Founding founding) {
    return new LedgerGenesis(
        founding.params().ledgerId(), founding.paramsBytes(), founding.params(), founding.name());
  }

  /// The same ledger when its name is gone.
  public LedgerGenesis nameless() {
    return new LedgerGenesis(id, paramsBytes, params, NO_NAME);
  }
}

package io.tallystick.node;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.List;

/// The versions of ledgers' states that savepoints keep, for a node's operator: nobody is asked for
/// a right. Thread-safe.
public interface KeptStates {
  /// Those of the states that were used since the node started, by ledger. Those of others are on
  /// the disk, unread.
  List<KeptState> keptStates();

  /// Drops versions, and waits until that is durable and their room is given back. The newest is
  /// never dropped.
  ///
  /// @return what is kept then
  /// @throws RequestRejectedException `UNKNOWN_LEDGER`; `FEATURE_NOT_ENABLED` if the ledger has no
  ///   state; `OUT_OF_RANGE` with the newest height if there is no such block, or with the most
  ///   that is kept of any state; `UNAVAILABLE` if it takes too long: they go later then
  KeptState pruneState(LedgerId id, StatePruning pruning) throws RequestRejectedException;
}

package io.tallystick.node;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.List;

/// The versions of ledgers' states that a node keeps in memory, for its operator: nobody is asked
/// for a right. Touches memory only. Thread-safe.
public interface KeptStates {
  /// Those of the states that were used since the node started, by ledger. Of any other the newest
  /// version is on the disk, and no older one is kept.
  List<KeptState> keptStates();

  /// Forgets the versions that no block from a height on has. The newest is never forgotten.
  ///
  /// @param height of a sealed block
  /// @return what is kept then
  /// @throws RequestRejectedException `UNKNOWN_LEDGER`; `FEATURE_NOT_ENABLED` if the ledger has no
  ///   state; `OUT_OF_RANGE` with the newest height if there is no such block
  KeptState pruneState(LedgerId id, long height) throws RequestRejectedException;
}

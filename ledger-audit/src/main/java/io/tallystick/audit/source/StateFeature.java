package io.tallystick.audit.source;

import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Leaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;

/// Whether the ledger of a log has a state, as its first leaf says: whoever reads or writes a log
/// must know whether there are operations. Nothing is checked; that is the audit's.
final class StateFeature {
  private StateFeature() {}

  /// @return false also if this is no genesis, which no audit passes
  static boolean isOn(Bytes firstLeaf) {
    try {
      return Leaf.decode(firstLeaf) instanceof GenesisLeaf genesis
          && GenesisParams.decode(genesis.genesisParams()).stateParams() != null;
    } catch (MalformedException _) {
      return false;
    }
  }
}

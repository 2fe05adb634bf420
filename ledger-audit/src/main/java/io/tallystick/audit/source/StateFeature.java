package io.tallystick.audit.source;

import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Leaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;

/// Tells by the first leaf of a log whether its ledger has a state: whoever reads or writes a log
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

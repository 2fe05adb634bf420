package io.tallystick.audit;

import io.tallystick.crypto.Signatures;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.StrandId;

/// What every check knows once genesis has been found right. Thread-safe.
///
/// @param bodies whether salts and bodies are checked
record AuditContext(
    StrandId strand,
    GenesisParams genesis,
    Signatures signatures,
    KeyDirectory keys,
    boolean bodies) {
  /// Whether journals of this ledger may have operations.
  boolean hasState() {
    return genesis.stateParams() != null;
  }
}

package io.tallystick.audit;

import io.tallystick.crypto.Signatures;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.StrandId;
import java.util.Optional;

/// What every check knows once genesis has been found right. Thread-safe.
///
/// @param bodies whether salts and bodies are checked
/// @param submitters if it is audited as a T-Ledger
record AuditContext(
    StrandId strand,
    GenesisParams genesis,
    Signatures signatures,
    KeyDirectory keys,
    boolean bodies,
    Optional<Submitters> submitters) {
  AuditContext withSubmitters(Optional<Submitters> known) {
    return new AuditContext(strand, genesis, signatures, keys, bodies, known);
  }

  /// Whether journals of this ledger may have operations.
  boolean hasState() {
    return genesis.stateParams() != null;
  }
}

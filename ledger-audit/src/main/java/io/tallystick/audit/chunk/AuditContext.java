package io.tallystick.audit.chunk;

import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.util.Map;
import java.util.Optional;

/// The context of every check, made once genesis has been found right. Thread-safe.
///
/// @param bodies whether salts and bodies are checked
/// @param submitters whose keys are known; empty unless it is audited as a T-Ledger
/// @param vouchedSize below this size signatures and bodies of ordinary journals are somebody's
///   word
/// @param hasher hashes leaves and complete subtrees in bulk
public record AuditContext(
    StrandId strand,
    GenesisParams genesis,
    Signatures signatures,
    KeyDirectory keys,
    boolean bodies,
    Optional<Map<LedgerId, ServiceKeys>> submitters,
    long vouchedSize,
    BatchHasher hasher) {
  /// The context of an audit that takes nobody's word.
  public AuditContext(
      StrandId strand,
      GenesisParams genesis,
      Signatures signatures,
      KeyDirectory keys,
      boolean bodies) {
    this(strand, genesis, signatures, keys, bodies, Optional.empty(), 0, BatchHasher.cpu());
  }

  public AuditContext withSubmitters(Optional<Map<LedgerId, ServiceKeys>> known) {
    return new AuditContext(strand, genesis, signatures, keys, bodies, known, vouchedSize, hasher);
  }

  public AuditContext vouchedBelow(long size) {
    return new AuditContext(strand, genesis, signatures, keys, bodies, submitters, size, hasher);
  }

  public AuditContext hashedBy(BatchHasher other) {
    return new AuditContext(
        strand, genesis, signatures, keys, bodies, submitters, vouchedSize, other);
  }

  public boolean bodiesAt(long jsn) {
    return bodies && jsn >= vouchedSize;
  }

  /// Whether the signatures of a submission are not verified. Those of governance always are: by
  /// them members and keys are known.
  public boolean vouched(long firstJsn, int count, boolean governance) {
    return !governance && firstJsn + count <= vouchedSize;
  }

  /// The verifier of the signatures of a submission.
  Signatures signaturesOf(long firstJsn, int count, boolean governance) {
    return vouched(firstJsn, count, governance) ? new VouchedSignatures(signatures) : signatures;
  }

  /// Whether journals of this ledger may have operations.
  public boolean hasState() {
    return genesis.stateParams() != null;
  }
}

package io.tallystick.audit.chunk;

import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.GenesisVerifier;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import java.util.Locale;

/// The foundation of the ledger, against the id that was pinned. Everything later is judged by what
/// it says, so it is checked before anything else.
public final class AuditedGenesis {
  private AuditedGenesis() {}

  public static AuditContext check(
      StrandId pinned, LogEntry entry, Signatures signatures, boolean bodies)
      throws FaultException {
    GenesisLeaf leaf = decode(entry);
    LedgerId ledger = Commitments.ledgerId(leaf.genesisParams());
    StrandId strand = new StrandId(ledger, leaf.strand());
    if (!strand.equals(pinned)) {
      throw new FaultException(
          0, FaultKind.WRONG_LEDGER, "genesis is that of " + strand + ", pinned is " + pinned);
    }
    BodyCheck.checkNone(0, entry);
    OpsCheck.checkNone(0, entry);
    GenesisParams params = verify(leaf, entry, signatures);
    checkParams(leaf, params);
    KeyDirectory keys = new KeyDirectory();
    params.owners().forEach(keys::publish);
    return new AuditContext(pinned, params, signatures, keys, bodies);
  }

  private static GenesisLeaf decode(LogEntry entry) throws FaultException {
    Leaf leaf;
    try {
      leaf = Leaf.decode(entry.leaf());
    } catch (MalformedException e) {
      throw new FaultException(0, FaultKind.MALFORMED_LEAF, String.valueOf(e.getMessage()));
    }
    if (leaf.jsn().value() != 0) {
      throw new FaultException(
          0,
          FaultKind.WRONG_JSN,
          String.format(Locale.ROOT, "leaf %s, want genesis, which is 0", leaf.jsn()));
    }
    if (!(leaf instanceof GenesisLeaf genesis)) {
      throw new FaultException(
          0, FaultKind.WRONG_TYPE, leaf.getClass().getSimpleName() + ", want the genesis leaf");
    }
    return genesis;
  }

  private static GenesisParams verify(GenesisLeaf leaf, LogEntry entry, Signatures signatures)
      throws FaultException {
    if (entry.attestation().isEmpty()) {
      throw new FaultException(0, FaultKind.ATTESTATION_MISSING, "no owner's signature is there");
    }
    Digest hash = Attestation.hash(entry.attestation());
    if (!hash.equals(leaf.attestHash())) {
      throw new FaultException(
          0,
          FaultKind.ATTESTATION_MISMATCH,
          "the attestation hashes to " + hash + ", the leaf says " + leaf.attestHash());
    }
    try {
      Attestation attestation = Attestation.decode(entry.attestation());
      return GenesisVerifier.verify(leaf.genesisParams(), attestation, signatures);
    } catch (MalformedException e) {
      throw new FaultException(0, FaultKind.ATTESTATION_INVALID, String.valueOf(e.getMessage()));
    } catch (ProofRejectedException e) {
      throw new FaultException(0, FaultKind.GENESIS_INVALID, String.valueOf(e.getMessage()));
    }
  }

  private static void checkParams(GenesisLeaf leaf, GenesisParams params) throws FaultException {
    if (leaf.strand() >= params.strandCount()) {
      throw new FaultException(
          0, FaultKind.GENESIS_INVALID, "strand " + leaf.strand() + " of " + params.strandCount());
    }
    long apart = Math.abs(leaf.timeMs() - params.createdMs());
    if (apart > Limits.CLOCK_SKEW_MS_MAX) {
      throw new FaultException(
          0,
          FaultKind.GENESIS_INVALID,
          "founded " + apart + " ms away from createdMs, at most " + Limits.CLOCK_SKEW_MS_MAX);
    }
  }
}

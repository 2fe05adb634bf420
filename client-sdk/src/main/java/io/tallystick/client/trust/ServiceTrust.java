package io.tallystick.client.trust;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;

/// By which keys the statements about one ledger are judged: those its genesis names, and never
/// those a service names itself.
///
/// @param genesisBytes whose hash is the ledgerId
public record ServiceTrust(
    LedgerId ledger, GenesisParams genesis, Bytes genesisBytes, ServiceKeys keys) {
  /// @throws ProofRejectedException with `COMMITMENT_MISMATCH` if `genesisBytes` are not what
  ///   `pinned` is the hash of
  public static ServiceTrust of(LedgerId pinned, Bytes genesisBytes, Signatures signatures)
      throws ProofRejectedException {
    LedgerId actual = Commitments.ledgerId(genesisBytes);
    if (!actual.equals(pinned)) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH, "genesis of ledger " + actual + ", pinned is " + pinned);
    }
    GenesisParams genesis = decode(genesisBytes);
    signatures.checkKey(genesis.noteKey());
    signatures.checkKey(genesis.receiptKey());
    for (PublicKey owner : genesis.owners()) {
      signatures.checkKey(owner);
    }
    return new ServiceTrust(
        pinned,
        genesis,
        genesisBytes,
        new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey()));
  }

  /// A ledger has one strand for now.
  public StrandId strand() {
    return new StrandId(ledger, 0);
  }

  private static GenesisParams decode(Bytes encoded) throws ProofRejectedException {
    try {
      return GenesisParams.decode(encoded);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "genesis: " + e.getMessage(), e);
    }
  }
}

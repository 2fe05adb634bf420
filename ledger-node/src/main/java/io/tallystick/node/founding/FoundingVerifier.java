package io.tallystick.node.founding;

import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.GenesisVerifier;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Founding;
import io.tallystick.node.LedgerName;

/// Verifies requests to found a ledger, before a node is asked to.
public final class FoundingVerifier {
  private FoundingVerifier() {}

  /// @param paramsBytes canonical GenesisParams
  /// @param attestation canonical bytes, signed by all owners
  /// @throws RequestRejectedException `MALFORMED`, `BAD_SIGNATURE`, `COMMITMENT_MISMATCH`
  public static Founding verify(
      Bytes paramsBytes, Bytes attestation, LedgerName name, Signatures signatures)
      throws RequestRejectedException {
    GenesisParams params;
    try {
      params = GenesisVerifier.verify(paramsBytes, Attestation.decode(attestation), signatures);
    } catch (MalformedException e) {
      throw new RequestRejectedException(
          RejectionCode.MALFORMED, "attestation: " + e.getMessage(), e);
    } catch (ProofRejectedException e) {
      RejectionCode code =
          switch (e.reason()) {
            case MALFORMED -> RejectionCode.MALFORMED;
            case WRONG_TYPE -> RejectionCode.WRONG_TYPE;
            case WRONG_KEY -> RejectionCode.KEY_NOT_ALLOWED;
            case COMMITMENT_MISMATCH -> RejectionCode.COMMITMENT_MISMATCH;
            default -> RejectionCode.BAD_SIGNATURE;
          };
      throw new RequestRejectedException(code, "genesis: " + e.getMessage(), e);
    }
    if (!Commitments.name(name.salt().toBytes(), name.name()).equals(params.nameCommit())) {
      throw new RequestRejectedException(
          RejectionCode.COMMITMENT_MISMATCH, "name and salt do not open nameCommit");
    }
    return new Founding(params, paramsBytes, attestation, name);
  }
}

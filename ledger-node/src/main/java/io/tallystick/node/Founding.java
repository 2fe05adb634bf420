package io.tallystick.node;

import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.GenesisVerifier;
import io.tallystick.journal.Limits;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.Locale;

/// A verified request to found a ledger: all owners signed these parameters, and the name opens
/// their nameCommit.
///
/// @param paramsBytes canonical GenesisParams
/// @param attestation canonical bytes
public record Founding(
    GenesisParams params, Bytes paramsBytes, Bytes attestation, LedgerName name) {
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

  /// @throws RequestRejectedException unless createdMs is within 30 s of `nowMs`
  public void checkCreated(long nowMs) throws RequestRejectedException {
    long offMs = params.createdMs() - nowMs;
    if (Math.abs(offMs) > Limits.CLOCK_SKEW_MS_MAX) {
      throw new RequestRejectedException(
              offMs < 0 ? RejectionCode.EXPIRED : RejectionCode.TOO_EARLY,
              String.format(
                  Locale.ROOT,
                  "createdMs, %s, is %d ms off the service's clock, at most %d",
                  Printable.time(params.createdMs()),
                  offMs,
                  Limits.CLOCK_SKEW_MS_MAX))
          .withLimit(Limits.CLOCK_SKEW_MS_MAX);
    }
  }

  /// How a genesis stands in a commit frame: parameters as header, the name's opening as payload.
  public SignedRequest asRow() {
    return new SignedRequest(paramsBytes, name.salt().toBytes(), Bytes.utf8(name.name()));
  }
}

package io.tallystick.node;

import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Limits;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.Locale;

/// A request to found a ledger, verified by {@link io.tallystick.node.founding.FoundingVerifier}:
/// all owners signed these parameters, and the name opens their nameCommit.
///
/// @param paramsBytes canonical GenesisParams
/// @param attestation canonical bytes
public record Founding(
    GenesisParams params, Bytes paramsBytes, Bytes attestation, LedgerName name) {
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

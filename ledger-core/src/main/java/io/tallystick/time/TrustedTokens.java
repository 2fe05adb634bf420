package io.tallystick.time;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;

/// Verifies time-stamp tokens (RFC 3161) against the authorities that its maker trusts; never
/// against a list of the operator's own. Thread-safe.
@FunctionalInterface
public interface TrustedTokens {
  /// @param token a TimeStampToken in DER
  /// @param imprint the SHA-256 that it must be about
  /// @return its genTime, milliseconds since the Unix epoch
  /// @throws ProofRejectedException unless an authority that is trusted granted it
  long genTimeMs(Bytes token, Digest imprint) throws ProofRejectedException;
}

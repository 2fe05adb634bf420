package io.tallystick.server.sequencer;

import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Extension;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;

/// Adds the service's signatures to a key rotation that members have signed. The same rotation
/// gives the same bytes, without a disk.
@FunctionalInterface
public interface RotationSigner {
  /// @param present before the rotation
  /// @return the whole attestation, encoded
  /// @throws RequestRejectedException if the service does not sign it
  Bytes attest(VerifiedSubmission submission, Extension.KeyRotation rotation, ServiceKeys present)
      throws RequestRejectedException;
}

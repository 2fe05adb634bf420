package io.tallystick.server.sequencer;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.RequestRejectedException;
import java.util.Optional;

/// Judges the certificates that a grant names, without a disk.
@FunctionalInterface
public interface GrantCheck {
  /// @param header of any kind
  /// @param chain that the grant names, as it was found when the request came
  /// @param timeMs of the leaf
  /// @throws RequestRejectedException `CERTIFICATE_INVALID`
  void check(RequestHeader header, Optional<CertificateChain> chain, long timeMs)
      throws RequestRejectedException;
}

package io.tallystick.audit.options;

import io.tallystick.audit.source.CertificateSource;
import io.tallystick.certificate.ChainVerifier;
import java.util.Optional;

/// How the certificates that grants name are judged.
///
/// @param verifier with the authorities that the auditor trusts; without it they are only counted
/// @param source of the chains
public record CertificateOptions(Optional<ChainVerifier> verifier, CertificateSource source) {
  /// None is judged.
  public static final CertificateOptions NONE =
      new CertificateOptions(Optional.empty(), CertificateSource.NONE);
}

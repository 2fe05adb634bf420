package io.tallystick.audit.source;

import io.tallystick.certificate.CertificateChain;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.util.Optional;

/// Where an auditor has the certificates from that grants name. It need not be trusted.
@FunctionalInterface
public interface CertificateSource {
  /// Has none.
  CertificateSource NONE = _ -> Optional.empty();

  /// @param certDigest as a grant names it
  /// @return whatever is called so there; empty if nothing is, since it was erased or is not served
  /// @throws MalformedException if that is no certificate chain
  /// @throws IOException if the source cannot be reached
  Optional<CertificateChain> chain(Digest certDigest) throws IOException, MalformedException;
}

package io.tallystick.time;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/// The certificates whose word on time-stamp authorities is taken, as whoever verifies lists them.
/// Nothing else is trusted, what the machine trusts for the web included (*the operator's own
/// authority*).
public record TrustedAuthorities(List<X509Certificate> certificates) {
  /// More than anybody lists; bounds what a search for a chain tries.
  public static final int CERTIFICATES_MAX = 64;

  public TrustedAuthorities {
    certificates = List.copyOf(certificates);
    if (certificates.isEmpty() || certificates.size() > CERTIFICATES_MAX) {
      throw new IllegalArgumentException(
          certificates.size() + " certificates, want 1 to " + CERTIFICATES_MAX);
    }
  }

  /// From a file of certificates in PEM (or one in DER).
  ///
  /// @throws MalformedException also if it holds none, or more than 64
  public static TrustedAuthorities decode(Bytes file) throws MalformedException {
    List<X509Certificate> found = new ArrayList<>();
    try {
      CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(file.toArray()))
          .forEach(each -> found.add((X509Certificate) each));
      return new TrustedAuthorities(found);
    } catch (CertificateException | IllegalArgumentException e) {
      throw new MalformedException("trusted time authorities: " + e.getMessage(), e);
    }
  }
}

package io.tallystick.certificate;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/// The authorities whose word on members' names is taken, as whoever verifies lists them. What the
/// machine trusts for the web counts for nothing.
public record CertificateAuthorities(List<X509Certificate> certificates) {
  /// Bounds what a search for a chain's end tries.
  public static final int CERTIFICATES_MAX = 64;

  public CertificateAuthorities {
    certificates = List.copyOf(certificates);
    if (certificates.isEmpty() || certificates.size() > CERTIFICATES_MAX) {
      throw new IllegalArgumentException(
          certificates.size() + " certificates, want 1 to " + CERTIFICATES_MAX);
    }
  }

  /// From a file of certificates in PEM (or one in DER).
  ///
  /// @throws MalformedException also if it holds none, or more than 64
  public static CertificateAuthorities decode(Bytes file) throws MalformedException {
    List<X509Certificate> found = new ArrayList<>();
    try {
      CertificateFactory.getInstance("X.509")
          .generateCertificates(new ByteArrayInputStream(file.toArray()))
          .forEach(each -> found.add((X509Certificate) each));
      return new CertificateAuthorities(found);
    } catch (CertificateException | IllegalArgumentException e) {
      throw new MalformedException("certificate authorities: " + e.getMessage(), e);
    }
  }
}

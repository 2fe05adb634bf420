package io.tallystick.certificate;

import io.tallystick.certificate.CertificateRefusedException.Reason;
import java.security.InvalidAlgorithmParameterException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Set;

/// Certificates from a signer to one that is trusted (RFC 5280 section 6). Revocation is not looked
/// up: nothing that is kept says what was known at the time.
///
/// @param certificates the signer's first, the trusted one left out
public record PkixPath(List<X509Certificate> certificates, X509Certificate trusted) {
  private static final int RSA_BITS_MIN = 2_048;
  private static final Set<String> SIGNATURES =
      Set.of(
          "1.2.840.113549.1.1.11", // SHA-256, 384, 512 with RSA
          "1.2.840.113549.1.1.12",
          "1.2.840.113549.1.1.13",
          "1.2.840.10045.4.3.2", // ECDSA with SHA-256, 384, 512
          "1.2.840.10045.4.3.3",
          "1.2.840.10045.4.3.4",
          "1.3.101.112"); // Ed25519

  public PkixPath {
    certificates = List.copyOf(certificates);
  }

  /// Requires that the path was good at this time.
  ///
  /// @throws CertificateRefusedException `WEAK_ALGORITHM`, `OUT_OF_DATE`, `UNTRUSTED`, `MALFORMED`
  public void require(Instant time) throws CertificateRefusedException {
    for (X509Certificate each : certificates) {
      requireStrength(each);
    }
    requireValid(time);
  }

  private static void requireStrength(X509Certificate certificate)
      throws CertificateRefusedException {
    String name = certificate.getSubjectX500Principal().getName();
    if (!SIGNATURES.contains(certificate.getSigAlgOID())) {
      throw new CertificateRefusedException(
          Reason.WEAK_ALGORITHM, name + " is signed by " + certificate.getSigAlgName());
    }
    if (certificate.getPublicKey() instanceof RSAPublicKey rsa
        && rsa.getModulus().bitLength() < RSA_BITS_MIN) {
      throw new CertificateRefusedException(
          Reason.WEAK_ALGORITHM,
          name + " has RSA of " + rsa.getModulus().bitLength() + " bits, at least " + RSA_BITS_MIN);
    }
  }

  private void requireValid(Instant time) throws CertificateRefusedException {
    try {
      trusted.checkValidity(Date.from(time)); // PKIX takes a trust anchor's own dates for granted
      PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(trusted, null)));
      parameters.setRevocationEnabled(false);
      parameters.setDate(Date.from(time));
      CertPathValidator.getInstance("PKIX")
          .validate(
              CertificateFactory.getInstance("X.509").generateCertPath(certificates), parameters);
    } catch (CertPathValidatorException e) {
      throw new CertificateRefusedException(
          outOfDate(e) ? Reason.OUT_OF_DATE : Reason.UNTRUSTED,
          "at " + time + ": " + e.getMessage(),
          e);
    } catch (CertificateExpiredException | CertificateNotYetValidException e) {
      throw new CertificateRefusedException(
          Reason.OUT_OF_DATE, "at " + time + ": " + e.getMessage(), e);
    } catch (CertificateException e) {
      throw new CertificateRefusedException(Reason.MALFORMED, "chain: " + e.getMessage(), e);
    } catch (InvalidAlgorithmParameterException | NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has PKIX", e);
    }
  }

  private static boolean outOfDate(CertPathValidatorException e) {
    return e.getReason() == BasicReason.EXPIRED || e.getReason() == BasicReason.NOT_YET_VALID;
  }
}

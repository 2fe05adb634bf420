package io.tallystick.certificate;

import io.tallystick.certificate.CertificateRefusedException.Reason;
import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Judges the chain that a grant names: it is the one named, of the granted key, and led to an
/// authority of the verifier's at the time of the grant's leaf. Source:
/// `docs/formats/people-and-time.md`, "Certificate chain".
public record ChainVerifier(CertificateAuthorities authorities) {
  // Bits of KeyUsage (RFC 5280 section 4.2.1.3).
  private static final int DIGITAL_SIGNATURE = 0;
  private static final int NON_REPUDIATION = 1;

  /// @param digest as the grant names it
  /// @param key the granted one
  /// @param timeMs of the grant's leaf
  public void verify(CertificateChain chain, Digest digest, PublicKey key, long timeMs)
      throws CertificateRefusedException {
    Digest actual = chain.digest();
    if (!actual.equals(digest)) {
      throw new CertificateRefusedException(
          Reason.WRONG_DIGEST, "chain " + actual + ", the grant names " + digest);
    }
    PublicKey certified = verify(chain, timeMs);
    if (!certified.equals(key)) {
      throw new CertificateRefusedException(
          Reason.WRONG_KEY, "certified for " + certified.kid() + ", granted to " + key.kid());
    }
  }

  /// The same for whatever member's key.
  ///
  /// @return the key that is certified
  public PublicKey verify(CertificateChain chain, long timeMs) throws CertificateRefusedException {
    List<X509Certificate> certificates = parse(chain);
    PublicKey key = member(certificates.getFirst());
    requireTrusted(certificates, Instant.ofEpochMilli(timeMs));
    return key;
  }

  private static List<X509Certificate> parse(CertificateChain chain)
      throws CertificateRefusedException {
    try {
      return chain.parse();
    } catch (MalformedException e) {
      throw new CertificateRefusedException(Reason.MALFORMED, String.valueOf(e.getMessage()), e);
    }
  }

  private static PublicKey member(X509Certificate certificate) throws CertificateRefusedException {
    String name = certificate.getSubjectX500Principal().getName();
    if (certificate.getBasicConstraints() >= 0) {
      throw new CertificateRefusedException(Reason.WRONG_USAGE, name + " is an authority's");
    }
    boolean[] usage = certificate.getKeyUsage();
    if (usage != null && !usage[DIGITAL_SIGNATURE] && !usage[NON_REPUDIATION]) {
      throw new CertificateRefusedException(
          Reason.WRONG_USAGE, "the key of " + name + " is not for signatures");
    }
    try {
      return PublicKey.ofSpki(Bytes.copyOf(certificate.getPublicKey().getEncoded()));
    } catch (MalformedException e) {
      throw new CertificateRefusedException(
          Reason.WRONG_KEY, name + " has a key that no member can have: " + e.getMessage(), e);
    }
  }

  /// The path ends at the first certificate that a trusted one issued: what is behind it serves
  /// verifiers who trust another.
  private void requireTrusted(List<X509Certificate> certificates, Instant time)
      throws CertificateRefusedException {
    CertificateRefusedException refusal = null;
    for (int i = 0; i < certificates.size(); i++) {
      for (X509Certificate trusted : authorities.certificates()) {
        if (issued(trusted, certificates.get(i))) {
          try {
            new PkixPath(certificates.subList(0, i + 1), trusted).require(time);
            return;
          } catch (CertificateRefusedException e) {
            refusal = first(refusal, e); // another of the same name may hold
          }
        }
      }
    }
    throw refusal != null ? refusal : dangling(certificates);
  }

  private static CertificateRefusedException first(
      @Nullable CertificateRefusedException before, CertificateRefusedException next) {
    return before == null ? next : before;
  }

  private static boolean issued(X509Certificate issuer, X509Certificate certificate) {
    if (!issuer.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())) {
      return false;
    }
    try {
      certificate.verify(issuer.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false; // another authority of that name
    }
  }

  private static CertificateRefusedException dangling(List<X509Certificate> certificates) {
    return new CertificateRefusedException(
        Reason.UNTRUSTED,
        "no trusted authority issued any of the chain; it ends at one issued by "
            + certificates.getLast().getIssuerX500Principal().getName());
  }
}

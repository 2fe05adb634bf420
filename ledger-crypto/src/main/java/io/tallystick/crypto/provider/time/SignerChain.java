package io.tallystick.crypto.provider.time;

import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TokenRefusedException.Reason;
import io.tallystick.time.TrustedAuthorities;
import java.security.GeneralSecurityException;
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
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The certificates from a token's signer to one that is trusted. All but the trusted one are in
/// the token itself, so that whoever has the token can check it for ever.
///
/// @param certificates the signer's first, the trusted one left out
record SignerChain(List<X509Certificate> certificates, X509Certificate trusted) {
  private static final int CERTIFICATES_MAX = 8;
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

  /// Requires a chain that was valid when the token was made (RFC 5280 section 6). Revocation is
  /// not looked up: nothing in the token says what was known then.
  static void require(
      X509Certificate signer,
      List<X509Certificate> inside,
      TrustedAuthorities authorities,
      Instant genTime)
      throws TokenRefusedException {
    SignerChain chain = find(signer, inside, authorities);
    for (X509Certificate each : chain.certificates) {
      requireStrength(each);
    }
    chain.requireValid(Date.from(genTime));
  }

  /// The first certificate that signed the last one of the chain, trusted ones first, until one is
  /// trusted. A subject with several certificates is rare; the first whose key fits is taken.
  private static SignerChain find(
      X509Certificate signer, List<X509Certificate> inside, TrustedAuthorities authorities)
      throws TokenRefusedException {
    List<X509Certificate> chain = new ArrayList<>(List.of(signer));
    while (chain.size() <= CERTIFICATES_MAX) {
      X509Certificate last = chain.getLast();
      X509Certificate trusted = issuer(last, authorities.certificates(), List.of());
      if (trusted != null) {
        return new SignerChain(chain, trusted);
      }
      X509Certificate next = issuer(last, inside, chain);
      if (next == null) {
        throw dangling(last, authorities);
      }
      chain.add(next);
    }
    throw new TokenRefusedException(
        Reason.UNTRUSTED, "a chain of more than " + CERTIFICATES_MAX + " certificates");
  }

  private static @Nullable X509Certificate issuer(
      X509Certificate of, List<X509Certificate> among, List<X509Certificate> but) {
    for (X509Certificate each : among) {
      if (!but.contains(each)
          && each.getSubjectX500Principal().equals(of.getIssuerX500Principal())
          && signed(each, of)) {
        return each;
      }
    }
    return null;
  }

  private static boolean signed(X509Certificate issuer, X509Certificate certificate) {
    try {
      certificate.verify(issuer.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false; // another issuer of that name may have; if none has, the chain dangles
    }
  }

  private static TokenRefusedException dangling(
      X509Certificate last, TrustedAuthorities authorities) {
    String issuer = last.getIssuerX500Principal().getName();
    if (last.getSubjectX500Principal().equals(last.getIssuerX500Principal())) {
      return new TokenRefusedException(Reason.UNTRUSTED, "the chain ends at " + issuer);
    }
    for (X509Certificate each : authorities.certificates()) {
      if (each.getSubjectX500Principal().equals(last.getIssuerX500Principal())) {
        return new TokenRefusedException(
            Reason.UNTRUSTED, "signed by another than the trusted " + issuer);
      }
    }
    return new TokenRefusedException(
        Reason.NO_CHAIN, issuer + " is neither inside the token nor trusted");
  }

  private static void requireStrength(X509Certificate certificate) throws TokenRefusedException {
    String name = certificate.getSubjectX500Principal().getName();
    if (!SIGNATURES.contains(certificate.getSigAlgOID())) {
      throw new TokenRefusedException(
          Reason.WEAK_ALGORITHM, name + " is signed by " + certificate.getSigAlgName());
    }
    if (certificate.getPublicKey() instanceof RSAPublicKey rsa
        && rsa.getModulus().bitLength() < RSA_BITS_MIN) {
      throw new TokenRefusedException(
          Reason.WEAK_ALGORITHM,
          name + " has RSA of " + rsa.getModulus().bitLength() + " bits, at least " + RSA_BITS_MIN);
    }
  }

  private void requireValid(Date genTime) throws TokenRefusedException {
    try {
      trusted.checkValidity(genTime); // PKIX takes a trust anchor's own dates for granted
      PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(trusted, null)));
      parameters.setRevocationEnabled(false);
      parameters.setDate(genTime);
      CertPathValidator.getInstance("PKIX")
          .validate(
              CertificateFactory.getInstance("X.509").generateCertPath(certificates), parameters);
    } catch (CertPathValidatorException e) {
      throw new TokenRefusedException(
          outOfDate(e) ? Reason.EXPIRED_AT_GENTIME : Reason.UNTRUSTED,
          "at " + genTime.toInstant() + ": " + e.getMessage(),
          e);
    } catch (CertificateExpiredException | CertificateNotYetValidException e) {
      throw new TokenRefusedException(
          Reason.EXPIRED_AT_GENTIME, "at " + genTime.toInstant() + ": " + e.getMessage(), e);
    } catch (CertificateException e) {
      throw new TokenRefusedException(Reason.MALFORMED, "chain: " + e.getMessage(), e);
    } catch (InvalidAlgorithmParameterException | NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has PKIX", e);
    }
  }

  private static boolean outOfDate(CertPathValidatorException e) {
    return e.getReason() == BasicReason.EXPIRED || e.getReason() == BasicReason.NOT_YET_VALID;
  }
}

package io.tallystick.crypto.provider.time;

import io.tallystick.certificate.CertificateRefusedException;
import io.tallystick.certificate.PkixPath;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TokenRefusedException.Reason;
import io.tallystick.time.TrustedAuthorities;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The certificates from a token's signer to one that is trusted. All but the trusted one are in
/// the token itself, so that whoever has the token can check it for ever.
final class SignerChain {
  private static final int CERTIFICATES_MAX = 8;

  private SignerChain() {}

  /// Requires a chain that was valid when the token was made (RFC 5280 section 6). Revocation is
  /// not looked up: nothing in the token says what was known then.
  static void require(
      X509Certificate signer,
      List<X509Certificate> inside,
      TrustedAuthorities authorities,
      Instant genTime)
      throws TokenRefusedException {
    PkixPath chain = find(signer, inside, authorities);
    try {
      chain.require(genTime);
    } catch (CertificateRefusedException e) {
      throw new TokenRefusedException(reason(e), String.valueOf(e.getMessage()), e);
    }
  }

  /// The first certificate that signed the last one of the chain, trusted ones first, until one is
  /// trusted. A subject with several certificates is rare; the first whose key fits is taken.
  private static PkixPath find(
      X509Certificate signer, List<X509Certificate> inside, TrustedAuthorities authorities)
      throws TokenRefusedException {
    List<X509Certificate> chain = new ArrayList<>(List.of(signer));
    while (chain.size() <= CERTIFICATES_MAX) {
      X509Certificate last = chain.getLast();
      X509Certificate trusted = issuer(last, authorities.certificates(), List.of());
      if (trusted != null) {
        return new PkixPath(chain, trusted);
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

  private static Reason reason(CertificateRefusedException e) {
    return switch (e.reason()) {
      case WEAK_ALGORITHM -> Reason.WEAK_ALGORITHM;
      case OUT_OF_DATE -> Reason.EXPIRED_AT_GENTIME;
      case MALFORMED -> Reason.MALFORMED;
      case WRONG_DIGEST, WRONG_KEY, WRONG_USAGE, UNTRUSTED -> Reason.UNTRUSTED;
    };
  }
}

package io.tallystick.server.certificate;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.certificate.CertificateChain;
import io.tallystick.certificate.CertificateRefusedException;
import io.tallystick.certificate.ChainVerifier;
import io.tallystick.journal.Extension;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The certificate authorities that chains must lead to. Without any every chain is refused. It is
/// told once and outlives the tables of chains, which are made again when a shard opens itself
/// again. Thread-safe.
public final class ChainTrust {
  private volatile @Nullable ChainVerifier verifier;

  public ChainTrust() {}

  void trust(CertificateAuthorities authorities) {
    verifier = new ChainVerifier(authorities);
  }

  boolean hasAuthorities() {
    return verifier != null;
  }

  private ChainVerifier verifier() throws RequestRejectedException {
    ChainVerifier known = verifier;
    if (known == null) {
      throw invalid("this service knows no certificate authority", null);
    }
    return known;
  }

  /// @throws RequestRejectedException `CERTIFICATE_INVALID`
  void verify(CertificateChain chain, long timeMs) throws RequestRejectedException {
    try {
      var _ = verifier().verify(chain, timeMs);
    } catch (CertificateRefusedException e) {
      throw invalid(String.valueOf(e.getMessage()), e);
    }
  }

  /// Judges a grant at its leaf's time, without a disk.
  ///
  /// @param chain what {@link ChainTable#namedBy} found
  /// @throws RequestRejectedException `CERTIFICATE_INVALID`
  public void check(RequestHeader header, Optional<CertificateChain> chain, long timeMs)
      throws RequestRejectedException {
    if (header.extension() instanceof Extension.Grant grant && grant.certDigest().isPresent()) {
      Digest digest = grant.certDigest().get();
      ChainVerifier known = verifier();
      if (chain.isEmpty()) {
        throw invalid(
            "chain " + digest + " was not shown to this service, or has waited too long", null);
      }
      try {
        known.verify(chain.get(), digest, grant.key(), timeMs);
      } catch (CertificateRefusedException e) {
        throw invalid(String.valueOf(e.getMessage()), e);
      }
    }
  }

  private static RequestRejectedException invalid(String detail, @Nullable Exception cause) {
    return cause == null
        ? new RequestRejectedException(RejectionCode.CERTIFICATE_INVALID, detail)
        : new RequestRejectedException(RejectionCode.CERTIFICATE_INVALID, detail, cause);
  }
}

package io.tallystick.certificate;

/// A member's certificates that do not prove what the grant says. Never retried.
public final class CertificateRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  /// Which rule of `docs/formats/people-and-time.md` is broken; stable names, used in reports.
  public enum Reason {
    /// Not the one structure it should be, too long, or no certificate.
    MALFORMED,
    /// Not the chain that the grant names.
    WRONG_DIGEST,
    /// The first certificate is of another key than the granted one.
    WRONG_KEY,
    /// The first certificate is an authority's, or not for signatures.
    WRONG_USAGE,
    /// A signature algorithm or key that is too weak.
    WEAK_ALGORITHM,
    /// The chain leads to nobody trusted, or breaks a rule of RFC 5280.
    UNTRUSTED,
    /// A certificate of the chain, the trusted one included, did not hold at the time.
    OUT_OF_DATE
  }

  private final Reason reason;

  public CertificateRefusedException(Reason reason, String detail) {
    super(reason + ": " + detail);
    this.reason = reason;
  }

  public CertificateRefusedException(Reason reason, String detail, Throwable cause) {
    super(reason + ": " + detail, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}

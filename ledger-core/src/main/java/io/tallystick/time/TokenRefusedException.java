package io.tallystick.time;

/// A time-stamp token that proves nothing, or an authority's refusal to make one. Evidence that
/// failed: never retried, never swallowed.
public final class TokenRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  /// Which rule of `docs/formats/time-token.md` is broken; stable names, used in reports, health
  /// and metrics.
  public enum Reason {
    /// The authority did not stamp, or answered without a token.
    NOT_GRANTED,
    /// Not the one structure it should be.
    MALFORMED,
    /// More bytes than a time journal takes.
    TOO_LONG,
    /// The imprint was not made with SHA-256.
    WRONG_HASH,
    /// Stamps something else.
    WRONG_IMPRINT,
    /// A signature algorithm or key that is too weak.
    WEAK_ALGORITHM,
    /// No ESSCertIDv2 with SHA-256 among the signed attributes (RFC 5816).
    NO_ESS_CERT_ID_V2,
    /// The ESSCertIDv2 names another certificate than the one inside.
    WRONG_CERTIFICATE,
    /// The certificate is not for time-stamping alone, or does not say so critically.
    WRONG_USAGE,
    /// The signature does not verify.
    BAD_SIGNATURE,
    /// A certificate between the signer and a trusted one is not inside.
    NO_CHAIN,
    /// The chain is whole and leads to nobody trusted, or breaks a rule of RFC 5280.
    UNTRUSTED,
    /// A certificate of the chain was not valid when the token was made.
    EXPIRED_AT_GENTIME,
    /// The authority says that it may be off by more than a second.
    INACCURATE,
    /// Answers another question.
    WRONG_NONCE,
    /// Stamped under another policy than was asked for.
    WRONG_POLICY
  }

  private final Reason reason;

  public TokenRefusedException(Reason reason, String detail) {
    super(reason + ": " + detail);
    this.reason = reason;
  }

  public TokenRefusedException(Reason reason, String detail, Throwable cause) {
    super(reason + ": " + detail, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}

package io.tallystick.proxy.access;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;

/// The purpose of a token, told by its `typ`, so that none is taken for another (RFC 8725 section
/// 3.11). Source: `docs/formats/token.md`.
enum TokenKind {
  READ(
      "tallystick-read+jwt",
      Duration.ofMinutes(5),
      "token is not signed by a current member of a ledger that is here"),
  INVITATION(
      "tallystick-invitation+jwt",
      Duration.ofDays(30),
      "invitation is not signed by an inviter of this service");

  private final String typ;
  private final Duration lifetimeMax;
  private final String untrustedSigner;

  TokenKind(String typ, Duration lifetimeMax, String untrustedSigner) {
    this.typ = typ;
    this.lifetimeMax = lifetimeMax;
    this.untrustedSigner = untrustedSigner;
  }

  String typ() {
    return typ;
  }

  /// The refusal of an unknown key, of another algorithm than the key's and of a wrong signature:
  /// the same for all of them, so that it does not tell which keys are known.
  RequestRejectedException untrustedSigner() {
    return new RequestRejectedException(RejectionCode.TOKEN_INVALID, untrustedSigner);
  }

  /// From now to its expiry.
  Duration lifetimeMax() {
    return lifetimeMax;
  }
}

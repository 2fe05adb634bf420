package io.tallystick.proxy.access;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;

/// What a token is for. Told by its `typ`, so that none is taken for another (RFC 8725 section
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
  private final String nobody;

  TokenKind(String typ, Duration lifetimeMax, String nobody) {
    this.typ = typ;
    this.lifetimeMax = lifetimeMax;
    this.nobody = nobody;
  }

  String typ() {
    return typ;
  }

  /// One answer to an unknown key, another algorithm and a wrong signature: nobody learns from it
  /// whose key is known.
  RequestRejectedException nobody() {
    return new RequestRejectedException(RejectionCode.TOKEN_INVALID, nobody);
  }

  /// From now to its expiry.
  Duration lifetimeMax() {
    return lifetimeMax;
  }
}

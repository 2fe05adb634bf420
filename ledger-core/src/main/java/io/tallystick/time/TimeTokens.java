package io.tallystick.time;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;

/// Questions to time-stamp authorities and their tokens; implemented in `ledger-crypto`. Every
/// implementation accepts exactly the set of `docs/formats/time-token.md`. Thread-safe; never
/// blocks.
public interface TimeTokens {
  /// A time journal's proof has at most 12,288 bytes, 5 of which stand around the token.
  int TOKEN_BYTES_MAX = 12_288 - 5;

  /// The most that a token's clock may be off.
  long ACCURACY_MS_MAX = 1_000;

  /// A TimeStampReq in DER, as it is sent to an authority. It asks for the certificates too.
  Bytes query(TimeQuery query);

  /// The token in a TimeStampResp, in definite lengths throughout.
  ///
  /// @param response as the authority sent it
  /// @throws TokenRefusedException `NOT_GRANTED`, `MALFORMED` or `TOO_LONG`
  Bytes tokenOf(Bytes response) throws TokenRefusedException;

  /// The content of a token, if one of the trusted authorities signed it for this imprint. Whether
  /// it answers a certain question is for {@link TokenFacts#requireAnswerTo}.
  ///
  /// @param token a TimeStampToken, as {@link #tokenOf} gives it
  /// @param imprint SHA-256 of what was stamped
  /// @throws TokenRefusedException saying which rule the token breaks
  TokenFacts verify(Bytes token, Digest imprint, TrustedAuthorities trusted)
      throws TokenRefusedException;
}

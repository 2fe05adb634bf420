package io.tallystick.time;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;

/// Tokens by the authorities that its maker lists, by all rules of `docs/formats/time-token.md`.
///
/// @param tokens the implementation
/// @param authorities nobody else's token is taken
public record ListedTokens(TimeTokens tokens, TrustedAuthorities authorities)
    implements TrustedTokens {
  /// @throws ProofRejectedException whose cause, a {@link TokenRefusedException}, names the rule
  @Override
  public long genTimeMs(Bytes token, Digest imprint) throws ProofRejectedException {
    try {
      return tokens.verify(token, imprint, authorities).genTimeMs();
    } catch (TokenRefusedException e) {
      throw new ProofRejectedException(reason(e.reason()), String.valueOf(e.getMessage()), e);
    }
  }

  private static Reason reason(TokenRefusedException.Reason rule) {
    return switch (rule) {
      case NOT_GRANTED, MALFORMED, TOO_LONG, WRONG_HASH, INACCURATE -> Reason.MALFORMED;
      case WRONG_IMPRINT, WRONG_NONCE, WRONG_POLICY -> Reason.COMMITMENT_MISMATCH;
      case WEAK_ALGORITHM, NO_ESS_CERT_ID_V2, BAD_SIGNATURE -> Reason.BAD_SIGNATURE;
      case WRONG_CERTIFICATE, WRONG_USAGE, NO_CHAIN, UNTRUSTED, EXPIRED_AT_GENTIME ->
          Reason.WRONG_KEY;
    };
  }
}

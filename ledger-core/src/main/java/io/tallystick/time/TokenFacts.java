package io.tallystick.time;

import io.tallystick.model.Digest;
import io.tallystick.time.TokenRefusedException.Reason;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/// The content of a verified token. Made only by {@link TimeTokens#verify}.
///
/// @param genTimeMs when the authority stamped it, milliseconds since the epoch, rounded down
/// @param accuracyMs how far that may be off either way, rounded up, at most 1,000. A token that
///   states none is taken as off by 1,000: the authority's clock is read to the second at least
/// @param accuracyStated whether the token itself states it
/// @param policy object identifier of the policy it was stamped under
/// @param serial the token's number at this authority
/// @param nonce of the question; null if that had none
/// @param authority SHA-256 of the certificate whose key signed
public record TokenFacts(
    long genTimeMs,
    long accuracyMs,
    boolean accuracyStated,
    String policy,
    BigInteger serial,
    @Nullable BigInteger nonce,
    Digest authority) {
  /// @throws TokenRefusedException `WRONG_NONCE` or `WRONG_POLICY` unless the token answers this
  ///   very question
  public void requireAnswerTo(TimeQuery query) throws TokenRefusedException {
    if (!query.nonce().equals(nonce)) {
      throw new TokenRefusedException(
          Reason.WRONG_NONCE, "nonce " + nonce + ", want " + query.nonce());
    }
    if (query.policy() != null && !query.policy().equals(policy)) {
      throw new TokenRefusedException(
          Reason.WRONG_POLICY, "policy " + policy + ", want " + query.policy());
    }
  }
}

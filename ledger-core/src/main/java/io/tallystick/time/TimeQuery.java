package io.tallystick.time;

import io.tallystick.model.Digest;
import java.math.BigInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A question to an authority: stamp this, now.
///
/// @param imprint SHA-256 of what is stamped
/// @param nonce comes back in the token (*an old token, kept and sent again*)
/// @param policy the policy to stamp under, an object identifier such as `1.3.6.1.4.1.13762.3`;
///   null leaves it to the authority
public record TimeQuery(Digest imprint, BigInteger nonce, @Nullable String policy) {
  private static final Pattern OBJECT_IDENTIFIER =
      Pattern.compile(
          "(?:[01]\\.(?:[1-3]?[0-9])|2\\.(?:0|[1-9][0-9]{0,8}))(?:\\.(?:0|[1-9][0-9]{0,8}))*");
  private static final int POLICY_LENGTH_MAX = 128;

  public TimeQuery {
    if (nonce.signum() < 0) {
      throw new IllegalArgumentException("nonce " + nonce + " is negative");
    }
    if (policy != null) {
      checkPolicy(policy);
    }
  }

  /// @throws IllegalArgumentException unless `policy` is an object identifier in decimal
  public static void checkPolicy(String policy) {
    if (policy.length() > POLICY_LENGTH_MAX || !OBJECT_IDENTIFIER.matcher(policy).matches()) {
      throw new IllegalArgumentException(policy + " is no object identifier");
    }
  }
}

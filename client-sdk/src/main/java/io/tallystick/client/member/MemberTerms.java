package io.tallystick.client.member;

import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import java.util.Optional;
import java.util.OptionalLong;

/// The terms that a grant sets for a member's key besides its role. Before the jsn of that grant
/// other terms, and another role, may have held.
///
/// @param grantedJsn of the journal that gave the present role and terms; the jsn at which the key
///   was added if none has changed them
/// @param notAfterMs the last leaf time at which the key holds; empty for a key without expiry
/// @param delegated whether the key is an agent's that signs for a person; for good once it is
/// @param certDigest of the X.509 chain shown for the key
public record MemberTerms(
    Jsn grantedJsn, OptionalLong notAfterMs, boolean delegated, Optional<Digest> certDigest) {
  /// The terms of a key that was added at `addedJsn` and not granted.
  public static MemberTerms asAdded(Jsn addedJsn) {
    return new MemberTerms(addedJsn, OptionalLong.empty(), false, Optional.empty());
  }

  public boolean expiredAt(long timeMs) {
    return notAfterMs.isPresent() && timeMs > notAfterMs.getAsLong();
  }
}

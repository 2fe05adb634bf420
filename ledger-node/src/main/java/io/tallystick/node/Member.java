package io.tallystick.node;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import java.util.Optional;

/// A key that may sign for a ledger, or once might. A grant replaces what is said of a key; what an
/// earlier one said is only in the ledger.
///
/// @param addedJsn valid from the next jsn on (owners of genesis: 0)
/// @param grantedJsn of the journal that gave the present role and terms; `addedJsn` if none has
///   changed them
/// @param terms what a grant says besides the role
/// @param revokedJsn not valid from the next jsn on; {@link #NEVER} while it is valid
/// @param replacedBy kid of the key whose grant revoked this one
public record Member(
    PublicKey key,
    Role role,
    long addedJsn,
    long grantedJsn,
    Terms terms,
    long revokedJsn,
    Optional<Digest> replacedBy) {
  public static final long NEVER = Long.MAX_VALUE;

  /// @param notAfterMs the last leaf time at which the key holds; {@link #NEVER} without expiry
  /// @param delegated whether the key is an agent's; for good once it is
  /// @param certDigest of the X.509 chain shown for the key
  public record Terms(long notAfterMs, boolean delegated, Optional<Digest> certDigest) {
    /// The terms of a key that was added, not granted.
    public static final Terms NONE = new Terms(NEVER, false, Optional.empty());
  }

  /// A member that no grant has changed.
  public Member(PublicKey key, Role role, long addedJsn, long revokedJsn) {
    this(key, role, addedJsn, addedJsn, Terms.NONE, revokedJsn, Optional.empty());
  }

  /// The same, revoked by journal `jsn`.
  public Member revokedAt(long jsn, Optional<Digest> inFavourOf) {
    return new Member(key, role, addedJsn, grantedJsn, terms, jsn, inFavourOf);
  }

  public boolean revoked() {
    return revokedJsn != NEVER;
  }

  public boolean expires() {
    return terms.notAfterMs != NEVER;
  }

  public boolean expiredAt(long timeMs) {
    return timeMs > terms.notAfterMs;
  }

  /// Whether it was not revoked so far and has not expired.
  public boolean currentAt(long timeMs) {
    return !revoked() && !expiredAt(timeMs);
  }

  /// Whether this key's signature counts at `jsn`, above {@link #grantedJsn}, in a leaf of this
  /// time.
  public boolean validAt(long jsn, long timeMs) {
    return addedJsn < jsn && jsn <= revokedJsn && !expiredAt(timeMs);
  }
}

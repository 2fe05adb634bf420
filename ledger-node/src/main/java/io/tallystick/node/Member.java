package io.tallystick.node;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Role;

/// A key that may sign for a ledger, or once might.
///
/// @param addedJsn valid from the next jsn on (owners of genesis: 0)
/// @param revokedJsn not valid from the next jsn on; {@link #NEVER} while it is valid
public record Member(PublicKey key, Role role, long addedJsn, long revokedJsn) {
  public static final long NEVER = Long.MAX_VALUE;

  /// Whether it was not revoked so far.
  public boolean current() {
    return revokedJsn == NEVER;
  }

  /// Whether this key's signature counts at `jsn`.
  public boolean validAt(long jsn) {
    return addedJsn < jsn && jsn <= revokedJsn;
  }
}

package io.tallystick.client;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import java.util.Optional;

/// A member of a ledger. That it was added (and revoked, if it was) as said here is verified in the
/// ledger. That no revocation was kept from us is not: only a whole audit shows that.
///
/// @param addedJsn its key counts from the jsn after this one; 0 for the owners of genesis
/// @param revokedJsn and no longer from the jsn after this one
public record LedgerMember(PublicKey key, Role role, Jsn addedJsn, Optional<Jsn> revokedJsn) {
  public Digest kid() {
    return key.kid();
  }

  /// Whether its signature counts for the journal at `jsn`.
  public boolean activeAt(Jsn jsn) {
    return addedJsn.compareTo(jsn) < 0
        && revokedJsn.map(revoked -> jsn.compareTo(revoked) <= 0).orElse(true);
  }
}

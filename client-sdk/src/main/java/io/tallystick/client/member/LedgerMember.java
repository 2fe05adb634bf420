package io.tallystick.client.member;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Role;
import java.util.Optional;

/// A member of a ledger. That it was added, granted and revoked as said here is verified in the
/// ledger. That no later grant or revocation was kept from us is not: only a whole audit shows
/// that.
///
/// @param role since {@link MemberTerms#grantedJsn}
/// @param addedJsn its key counts from the jsn after this one; 0 for the owners of genesis
/// @param revokedJsn and no longer from the jsn after this one
/// @param replacedBy kid of the key whose grant revoked this one
public record LedgerMember(
    PublicKey key,
    Role role,
    Jsn addedJsn,
    Optional<Jsn> revokedJsn,
    MemberTerms terms,
    Optional<Digest> replacedBy) {
  /// A member that no grant has changed.
  public LedgerMember(PublicKey key, Role role, Jsn addedJsn, Optional<Jsn> revokedJsn) {
    this(key, role, addedJsn, revokedJsn, MemberTerms.asAdded(addedJsn), Optional.empty());
  }

  public Digest kid() {
    return key.kid();
  }

  /// Whether it was a member for the journal at `jsn`; whether the key had expired then is for
  /// {@link #terms} and the journal's time.
  public boolean activeAt(Jsn jsn) {
    return addedJsn.compareTo(jsn) < 0
        && revokedJsn.map(revoked -> jsn.compareTo(revoked) <= 0).orElse(true);
  }

  /// Whether the role and the terms are those that held at `jsn`.
  public boolean knownAt(Jsn jsn) {
    return terms.grantedJsn().compareTo(jsn) < 0;
  }
}

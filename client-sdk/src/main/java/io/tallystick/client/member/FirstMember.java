package io.tallystick.client.member;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.model.Role;
import java.util.Optional;
import java.util.OptionalLong;

/// A member that a ledger gets when it is founded.
///
/// @param delegated whether the key is an agent's that signs for a person
public record FirstMember(Role role, PublicKey key, boolean delegated) {
  /// One that signs for itself, or only reads.
  public static FirstMember of(Role role, PublicKey key) {
    return new FirstMember(role, key, false);
  }

  /// The grant that makes it a member, without expiry.
  public Extension.Grant grant() {
    return new Extension.Grant(
        role, key, OptionalLong.empty(), Optional.empty(), delegated, Optional.empty());
  }

  /// Whether a member of the ledger is this one.
  public boolean is(LedgerMember member) {
    return member.role() == role
        && member.terms().delegated() == delegated
        && member.revokedJsn().isEmpty();
  }
}

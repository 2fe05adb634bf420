package io.tallystick.audit;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.KeyLookup;
import io.tallystick.model.Digest;
import io.tallystick.model.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The members at the point the replay has reached: the owners of genesis and every change since. A
/// change is in force from the jsn behind it. Not thread-safe.
final class MemberReplay implements KeyLookup {
  private static final long NEVER = -1;

  private final GenesisParams genesis;
  private final Map<Digest, Member> members = new HashMap<>();

  private record Member(PublicKey key, Role role, long revokedJsn) {}

  MemberReplay(GenesisParams genesis) {
    this.genesis = genesis;
    genesis.owners().forEach(key -> members.put(key.kid(), new Member(key, Role.OWNER, NEVER)));
  }

  /// Takes the members of a statement for those of genesis.
  void restore(List<AuditStatement.Member> known) {
    members.clear();
    known.forEach(member ->
        members.put(
            member.key().kid(), new Member(member.key(), member.role(), member.revokedJsn())));
  }

  /// All there ever were, ascending by kid.
  List<AuditStatement.Member> all() {
    return members.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(Map.Entry::getValue)
        .map(member -> new AuditStatement.Member(member.key, member.role, member.revokedJsn))
        .toList();
  }

  @Override
  public Optional<PublicKey> find(Digest kid) {
    return Optional.ofNullable(members.get(kid)).map(Member::key);
  }

  /// @throws FaultException unless all signers are members now
  void checkMembers(long jsn, List<Digest> kids) throws FaultException {
    for (Digest kid : kids) {
      Member member = members.get(kid);
      if (member == null) {
        throw new FaultException(
            jsn, FaultKind.UNKNOWN_SIGNER, "key " + kid + " is no member before jsn " + jsn);
      }
      if (member.revokedJsn != NEVER) {
        throw new FaultException(
            jsn, FaultKind.REVOKED_SIGNER, "key " + kid + " was revoked at " + member.revokedJsn);
      }
    }
  }

  /// @param kids of members
  /// @throws FaultException unless every signer may append and, for governance, one is an owner
  void checkRoles(long jsn, List<Digest> kids, boolean governance) throws FaultException {
    boolean owner = false;
    for (Digest kid : kids) {
      Role role = role(kid);
      owner |= role == Role.OWNER;
      if (!role.mayAppend()) {
        throw new FaultException(
            jsn, FaultKind.ROLE_NOT_ALLOWED, "key " + kid + " is " + role + " and may not append");
      }
    }
    if (governance && !owner) {
      throw new FaultException(
          jsn, FaultKind.ROLE_NOT_ALLOWED, "no owner signed this change of the ledger");
    }
  }

  /// @return whether a member was added or revoked
  boolean apply(long jsn, Extension change) throws FaultException {
    return switch (change) {
      case Extension.None _ -> false;
      case Extension.MemberAdd add -> {
        add(jsn, add);
        yield true;
      }
      case Extension.MemberRevoke revoke -> {
        revoke(jsn, revoke.kid());
        yield true;
      }
      case Extension.Parameters _ -> false;
      case Extension.KeyRotation _, Extension.Time _, Extension.Grant _, Extension.Close _ ->
          throw new FaultException(
              jsn, FaultKind.KIND_NOT_ENABLED, "this auditor does not know what it changes");
    };
  }

  private void add(long jsn, Extension.MemberAdd add) throws FaultException {
    Digest kid = add.key().kid();
    if (members.containsKey(kid)) {
      throw invalid(jsn, "key " + kid + " is or was a member; a key is added only once");
    }
    if (kid.equals(genesis.noteKey().kid()) || kid.equals(genesis.receiptKey().kid())) {
      throw invalid(jsn, "key " + kid + " is a service key");
    }
    members.put(kid, new Member(add.key(), add.role(), NEVER));
  }

  private void revoke(long jsn, Digest kid) throws FaultException {
    Member member = members.get(kid);
    if (member == null || member.revokedJsn != NEVER) {
      throw invalid(jsn, "key " + kid + " is not a member, so it cannot be revoked");
    }
    if (member.role == Role.OWNER && ownerCount() == 1) {
      throw invalid(jsn, "key " + kid + " is the last owner");
    }
    members.put(kid, new Member(member.key, member.role, jsn));
  }

  private long ownerCount() {
    return members.values().stream()
        .filter(member -> member.role == Role.OWNER && member.revokedJsn == NEVER)
        .count();
  }

  private Role role(Digest kid) {
    Member member = members.get(kid);
    if (member == null) {
      throw new IllegalStateException("roles are checked after membership: " + kid);
    }
    return member.role;
  }

  private static FaultException invalid(long jsn, String detail) {
    return new FaultException(jsn, FaultKind.MEMBER_CHANGE_INVALID, detail);
  }
}

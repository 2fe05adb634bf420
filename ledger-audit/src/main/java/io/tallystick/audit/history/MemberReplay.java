package io.tallystick.audit.history;

import io.tallystick.audit.chunk.Event;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.KeyLookup;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The members at the point the replay has reached: the owners of genesis and every change since. A
/// change is in force from the jsn behind it. Not thread-safe.
public final class MemberReplay implements KeyLookup {
  private final GenesisParams genesis;
  private final ServiceReplay service;
  private final Map<Digest, Member> members = new HashMap<>();
  private long closedJsn = AuditStatement.NEVER;

  private record Member(
      PublicKey key,
      Role role,
      long revokedJsn,
      long notAfterMs,
      boolean delegated,
      long sinceJsn,
      long sinceMs,
      Optional<Digest> replacedBy) {
    boolean revoked() {
      return revokedJsn != AuditStatement.NEVER;
    }

    boolean expired(long timeMs) {
      return notAfterMs != AuditStatement.NEVER && timeMs > notAfterMs;
    }

    boolean valid(long timeMs) {
      return !revoked() && !expired(timeMs);
    }

    boolean owner() {
      return role == Role.OWNER && !revoked();
    }

    Member revokedAt(long jsn) {
      return new Member(key, role, jsn, notAfterMs, delegated, sinceJsn, sinceMs, Optional.empty());
    }

    Member replacedAt(long jsn, Digest by) {
      return new Member(key, role, jsn, notAfterMs, delegated, sinceJsn, sinceMs, Optional.of(by));
    }
  }

  public MemberReplay(GenesisParams genesis, ServiceReplay service) {
    this.genesis = genesis;
    this.service = service;
    long foundedMs = genesis.createdMs();
    genesis.owners().forEach(key -> members.put(key.kid(), added(key, Role.OWNER, 0, foundedMs)));
  }

  private static Member added(PublicKey key, Role role, long jsn, long timeMs) {
    return new Member(
        key,
        role,
        AuditStatement.NEVER,
        AuditStatement.NEVER,
        false,
        jsn,
        timeMs,
        Optional.empty());
  }

  /// Takes the members of a statement for those of genesis.
  void restore(List<AuditStatement.Member> known, long closed) {
    members.clear();
    known.forEach(member ->
        members.put(
            member.key().kid(),
            new Member(
                member.key(),
                member.role(),
                member.revokedJsn(),
                member.notAfterMs(),
                member.delegated(),
                member.sinceJsn(),
                member.sinceMs(),
                member.replacedBy())));
    closedJsn = closed;
  }

  /// All there ever were, ascending by kid.
  List<AuditStatement.Member> all() {
    return members.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(Map.Entry::getValue)
        .map(MemberReplay::stated)
        .toList();
  }

  private static AuditStatement.Member stated(Member member) {
    return new AuditStatement.Member(
        member.key,
        member.role,
        member.revokedJsn,
        member.notAfterMs,
        member.delegated,
        member.sinceJsn,
        member.sinceMs,
        member.replacedBy);
  }

  /// A member who signed.
  ///
  /// @param kid of a member, as {@link #checkMembers} found
  AuditStatement.Member ofSigner(Digest kid) {
    return stated(signer(kid));
  }

  /// The journal that closed the ledger; negative if none did.
  long closedJsn() {
    return closedJsn;
  }

  @Override
  public Optional<PublicKey> find(Digest kid) {
    return Optional.ofNullable(members.get(kid)).map(Member::key);
  }

  @Override
  public Optional<PublicKey> receiptKey() {
    return Optional.of(service.receiptKey());
  }

  /// The members whose keys hold at this point.
  KeyLookup validAt(long timeMs) {
    return kid ->
        Optional.ofNullable(members.get(kid))
            .filter(member -> member.valid(timeMs))
            .map(Member::key);
  }

  /// Whether this key is or was a member's.
  boolean everHeld(PublicKey key) {
    return members.containsKey(key.kid());
  }

  /// @throws FaultException if the ledger was closed before and this is not for a closed one
  void checkOpen(long jsn, Extension change) throws FaultException {
    boolean whenClosed =
        switch (change) {
          case Extension.KeyRotation _, Extension.Time _, Extension.Removal _ -> true;
          case Extension.None _,
              Extension.MemberAdd _,
              Extension.MemberRevoke _,
              Extension.Parameters _,
              Extension.Grant _,
              Extension.Close _ ->
              false;
        };
    if (closedJsn != AuditStatement.NEVER && !whenClosed) {
      throw new FaultException(
          jsn, FaultKind.LEDGER_CLOSED, "the ledger was closed at jsn " + closedJsn);
    }
  }

  /// @throws FaultException unless all signers are members now
  public void checkMembers(long jsn, long timeMs, List<Digest> kids) throws FaultException {
    for (Digest kid : kids) {
      Member member = members.get(kid);
      if (member == null) {
        throw new FaultException(
            jsn, FaultKind.UNKNOWN_SIGNER, "key " + kid + " is no member before jsn " + jsn);
      }
      if (member.revoked()) {
        throw new FaultException(
            jsn, FaultKind.REVOKED_SIGNER, "key " + kid + " was revoked at " + member.revokedJsn);
      }
      if (member.expired(timeMs)) {
        throw new FaultException(
            jsn,
            FaultKind.EXPIRED_SIGNER,
            String.format(
                Locale.ROOT,
                "key %s held until %s, the leaf is of %s",
                kid,
                Printable.time(member.notAfterMs),
                Printable.time(timeMs)));
      }
    }
  }

  /// @param kids of members
  /// @throws FaultException unless every signer may append and those signed whom the change needs
  public void checkRoles(long jsn, long timeMs, List<Digest> kids, Extension change)
      throws FaultException {
    boolean owner = false;
    for (Digest kid : kids) {
      Role role = signer(kid).role;
      owner |= role == Role.OWNER;
      // Whom a purge affects signs it, whatever its role is now.
      if (!role.mayAppend() && !(change instanceof Extension.Purge)) {
        throw new FaultException(
            jsn, FaultKind.ROLE_NOT_ALLOWED, "key " + kid + " is " + role + " and may not append");
      }
    }
    if (!owner && needsOwner(change)) {
      throw new FaultException(
          jsn, FaultKind.ROLE_NOT_ALLOWED, "no owner signed this change of the ledger");
    }
    if (change instanceof Extension.Close) {
      checkAllOwners(jsn, timeMs, kids);
    }
  }

  private static boolean needsOwner(Extension change) {
    return switch (change) {
      case Extension.None _, Extension.Time _ -> false;
      case Extension.MemberAdd _,
          Extension.MemberRevoke _,
          Extension.Parameters _,
          Extension.KeyRotation _,
          Extension.Grant _,
          Extension.Removal _,
          Extension.Close _ ->
          true;
    };
  }

  private void checkAllOwners(long jsn, long timeMs, List<Digest> kids) throws FaultException {
    for (Map.Entry<Digest, Member> entry : members.entrySet()) {
      Member member = entry.getValue();
      if (member.owner() && member.valid(timeMs) && !kids.contains(entry.getKey())) {
        throw new FaultException(
            jsn, FaultKind.OWNERS_MISSING, "owner " + entry.getKey() + " did not sign the closing");
      }
    }
  }

  /// @param kids of members
  /// @throws FaultException unless the leaves are marked exactly if a signer's key is delegated
  void checkFlags(long jsn, List<Digest> kids, Event.Flags flags) throws FaultException {
    boolean delegated = kids.stream().anyMatch(kid -> signer(kid).delegated);
    if (flags.delegated() != delegated || flags.otherJsn() >= 0) {
      throw new FaultException(
          flags.delegated() == delegated ? flags.otherJsn() : jsn,
          FaultKind.WRONG_FLAGS,
          delegated
              ? "flags is 0, the key of a signer is delegated"
              : "flags is 1, no signer's key is delegated");
    }
  }

  /// @return whether a member was added, changed or revoked
  public boolean apply(long jsn, long timeMs, Extension change) throws FaultException {
    return switch (change) {
      case Extension.None _,
          Extension.Parameters _,
          Extension.KeyRotation _,
          Extension.Time _,
          Extension.Removal _ ->
          false;
      case Extension.MemberAdd add -> {
        add(jsn, timeMs, add);
        yield true;
      }
      case Extension.MemberRevoke revoke -> {
        revoke(jsn, revoke.kid());
        yield true;
      }
      case Extension.Grant grant -> {
        grant(jsn, timeMs, grant);
        yield true;
      }
      case Extension.Close _ -> {
        closedJsn = jsn;
        yield false;
      }
    };
  }

  private void add(long jsn, long timeMs, Extension.MemberAdd add) throws FaultException {
    Digest kid = add.key().kid();
    if (members.containsKey(kid)) {
      throw invalid(jsn, "key " + kid + " is or was a member; a key is added only once");
    }
    if (service.everHeld(add.key())) {
      throw invalid(jsn, "key " + kid + " is a service key");
    }
    checkStyle(jsn, add.role(), false);
    members.put(kid, added(add.key(), add.role(), jsn, timeMs));
    checkOneOwner(jsn);
  }

  private void revoke(long jsn, Digest kid) throws FaultException {
    Member member = members.get(kid);
    if (member == null || member.revoked()) {
      throw invalid(jsn, "key " + kid + " is not a member, so it cannot be revoked");
    }
    members.put(kid, member.revokedAt(jsn));
    checkLastingOwner(jsn);
  }

  private void grant(long jsn, long timeMs, Extension.Grant grant) throws FaultException {
    Digest kid = grant.key().kid();
    Member before = members.get(kid);
    if (service.everHeld(grant.key())) {
      throw grantInvalid(jsn, "key " + kid + " is or was a service key");
    }
    if (before != null && before.revoked()) {
      throw grantInvalid(jsn, "key " + kid + " was revoked at " + before.revokedJsn);
    }
    if (before != null && before.delegated && !grant.delegated()) {
      throw new FaultException(
          jsn,
          FaultKind.DELEGATION_DROPPED,
          "key " + kid + " is delegated, the grant says it is not");
    }
    if (grant.replaces().isPresent()) {
      replace(jsn, timeMs, grant.replaces().get(), kid);
    }
    checkStyle(jsn, grant.role(), grant.delegated());
    Member same = before != null && before.role == grant.role() ? before : null;
    members.put(
        kid,
        new Member(
            grant.key(),
            grant.role(),
            AuditStatement.NEVER,
            grant.notAfterMs().orElse(AuditStatement.NEVER),
            grant.delegated(),
            same != null ? same.sinceJsn : jsn,
            same != null ? same.sinceMs : timeMs,
            Optional.empty()));
    checkLastingOwner(jsn);
    checkOneOwner(jsn);
  }

  private void replace(long jsn, long timeMs, Digest kid, Digest by) throws FaultException {
    Member member = members.get(kid);
    if (member == null || !member.valid(timeMs)) {
      throw grantInvalid(jsn, "key " + kid + " is not a valid member, so it cannot be replaced");
    }
    members.put(kid, member.replacedAt(jsn, by));
  }

  private void checkStyle(long jsn, Role role, boolean delegated) throws FaultException {
    if (role != Role.NORMAL) {
      return;
    }
    if (genesis.features().contains(Feature.MONO)) {
      throw styleBroken(jsn, "a normal member in a mono ledger");
    }
    if (genesis.features().contains(Feature.DELEGATED) && !delegated) {
      throw styleBroken(jsn, "a normal member whose key is not delegated in a delegated ledger");
    }
  }

  private void checkOneOwner(long jsn) throws FaultException {
    long owners = members.values().stream().filter(Member::owner).count();
    if (owners != 1 && genesis.features().contains(Feature.MONO)) {
      throw styleBroken(jsn, owners + " owners in a mono ledger");
    }
  }

  private void checkLastingOwner(long jsn) throws FaultException {
    if (members.values().stream()
        .noneMatch(each -> each.owner() && each.notAfterMs == AuditStatement.NEVER)) {
      throw new FaultException(
          jsn, FaultKind.LAST_OWNER, "no owner whose key does not expire is left");
    }
  }

  private Member signer(Digest kid) {
    Member member = members.get(kid);
    if (member == null) {
      throw new IllegalStateException("signers are judged after membership: " + kid);
    }
    return member;
  }

  private static FaultException invalid(long jsn, String detail) {
    return new FaultException(jsn, FaultKind.MEMBER_CHANGE_INVALID, detail);
  }

  private static FaultException grantInvalid(long jsn, String detail) {
    return new FaultException(jsn, FaultKind.GRANT_INVALID, detail);
  }

  private static FaultException styleBroken(long jsn, String detail) {
    return new FaultException(jsn, FaultKind.STYLE_BROKEN, detail);
  }
}

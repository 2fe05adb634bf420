package io.tallystick.server.world;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.StyleRules;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The members of one ledger and its service keys at one jsn; immutable, so that the sequencer, the
/// indexer and readers each hold the version they need. Source: `docs/formats/request.md`,
/// `docs/formats/people-and-time.md`.
public final class MemberTable {
  /// At which no key has expired.
  private static final long ANY_TIME = 0;

  private final GenesisParams genesis;
  private final Map<Digest, Member> members;
  private final ServiceTerms service;

  private MemberTable(GenesisParams genesis, Map<Digest, Member> members, ServiceTerms service) {
    this.genesis = genesis;
    this.members = members;
    this.service = service;
  }

  /// The owners of genesis, valid from jsn 1 on.
  public static MemberTable ofGenesis(GenesisParams genesis) {
    Map<Digest, Member> owners = new LinkedHashMap<>();
    for (PublicKey owner : genesis.owners()) {
      owners.put(owner.kid(), new Member(owner, Role.OWNER, 0, Member.NEVER));
    }
    return new MemberTable(genesis, owners, ServiceTerms.ofGenesis(genesis));
  }

  /// A table as saved.
  public static MemberTable of(
      GenesisParams genesis, Collection<Member> saved, ServiceTerms service) {
    Map<Digest, Member> members = new LinkedHashMap<>();
    for (Member member : saved) {
      members.put(member.key().kid(), member);
    }
    return new MemberTable(genesis, members, service);
  }

  /// The service's keys, which no member has.
  public ServiceTerms service() {
    return service;
  }

  public Collection<Member> all() {
    return List.copyOf(members.values());
  }

  public Optional<Member> find(Digest kid) {
    return Optional.ofNullable(members.get(kid));
  }

  /// Whether the key of any member is, or was, delegated.
  public boolean anyDelegated() {
    return members.values().stream().anyMatch(member -> member.terms().delegated());
  }

  /// Whether the key of one of these signers is delegated.
  public boolean anyDelegated(List<Digest> signers) {
    for (Digest kid : signers) {
      Member member = members.get(kid);
      if (member != null && member.terms().delegated()) {
        return true;
      }
    }
    return false;
  }

  /// Decides whether these signers may have this request at `jsn`.
  ///
  /// @param timeMs of the leaf it would be
  /// @throws RequestRejectedException `UNKNOWN_KEY`, `REVOKED_KEY`, `ROLE_NOT_ALLOWED`,
  ///   `SIGNATURES_MISSING`; as {@link StyleRules#check}
  void authorize(List<Digest> signers, RequestHeader header, long jsn, long timeMs)
      throws RequestRejectedException {
    if (header.kind() == Kind.TIME) {
      checkServiceSigned(signers, header.kind());
      return;
    }
    Set<Role> signed = EnumSet.noneOf(Role.class);
    for (Digest kid : signers) {
      Member member = validMember(kid, jsn, timeMs);
      // A purge may be signed by whom it concerns, which its snapshot tells.
      if (!member.role().mayAppend() && header.kind() != Kind.PURGE) {
        throw new RequestRejectedException(
            RejectionCode.ROLE_NOT_ALLOWED,
            "member " + kid + " is " + member.role() + " and may not append");
      }
      signed.add(member.role());
    }
    if (header.kind() == Kind.OCCULT) {
      checkSigned(header.kind(), signed, List.of(Role.OWNER, Role.REGULATOR), jsn, timeMs);
    }
    if (header.kind() == Kind.PURGE) {
      checkSigned(header.kind(), signed, List.of(Role.OWNER), jsn, timeMs);
    }
    if (header.kind().governance() && !signed.contains(Role.OWNER)) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED, "kind " + header.kind() + " needs an owner's signature");
    }
    if (header.kind() == Kind.CLOSE) {
      checkOwnersSigned(signers, jsn, timeMs);
    }
    StyleRules.check(genesis.features(), header);
  }

  /// @param signers in a request of the service's own
  private void checkServiceSigned(List<Digest> signers, Kind kind) throws RequestRejectedException {
    Digest receiptKey = service.keys().receiptKey().kid();
    if (!signers.equals(List.of(receiptKey))) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED,
          String.format(
              Locale.ROOT,
              "kind %s is signed by %s, want the service's receipt key %s alone",
              kind,
              signers,
              receiptKey));
    }
  }

  /// @param wanted of each of these roles one
  private void checkSigned(Kind kind, Set<Role> signed, List<Role> wanted, long jsn, long timeMs)
      throws RequestRejectedException {
    List<String> missing = new ArrayList<>();
    for (Role role : wanted) {
      if (!signed.contains(role)) {
        List<Digest> holders =
            members.values().stream()
                .filter(member -> member.role() == role && member.validAt(jsn, timeMs))
                .map(member -> member.key().kid())
                .sorted()
                .toList();
        missing.add(
            String.format(
                Locale.ROOT, "%s (one of %s)", role, holders.isEmpty() ? "none" : holders));
      }
    }
    if (!missing.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.SIGNATURES_MISSING,
          String.format(
              Locale.ROOT,
              "kind %s needs the signatures of %s; missing: %s",
              kind,
              wanted,
              String.join(", ", missing)));
    }
  }

  private void checkOwnersSigned(List<Digest> signers, long jsn, long timeMs)
      throws RequestRejectedException {
    List<Digest> missing =
        members.values().stream()
            .filter(member -> member.role() == Role.OWNER && member.validAt(jsn, timeMs))
            .map(member -> member.key().kid())
            .filter(kid -> !signers.contains(kid))
            .sorted()
            .toList();
    if (!missing.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.SIGNATURES_MISSING,
          String.format(
              Locale.ROOT,
              "kind %s needs the signature of every valid owner; missing: %s",
              Kind.CLOSE,
              missing.stream()
                  .map(kid -> Role.OWNER + " " + kid)
                  .collect(Collectors.joining(", "))));
    }
  }

  private Member validMember(Digest kid, long jsn, long timeMs) throws RequestRejectedException {
    Member member = memberAt(kid, jsn);
    if (member.expiredAt(timeMs)) {
      throw new RequestRejectedException(
              RejectionCode.REVOKED_KEY,
              String.format(
                  Locale.ROOT,
                  "key %s is not valid at jsn %d, time %s: granted at %d until %s",
                  kid,
                  jsn,
                  Printable.time(timeMs),
                  member.grantedJsn(),
                  Printable.time(member.terms().notAfterMs())))
          .atJsn(jsn);
    }
    return member;
  }

  /// A member that was added before `jsn` and not revoked before it.
  private Member memberAt(Digest kid, long jsn) throws RequestRejectedException {
    Member member = members.get(kid);
    if (member == null) {
      throw new RequestRejectedException(
          RejectionCode.UNKNOWN_KEY, "key " + kid + " is not a member of this ledger");
    }
    if (!member.validAt(jsn, ANY_TIME)) {
      throw new RequestRejectedException(
              RejectionCode.REVOKED_KEY,
              "key "
                  + kid
                  + " is not valid at jsn "
                  + jsn
                  + ": added at "
                  + member.addedJsn()
                  + (member.revoked() ? ", revoked at " + member.revokedJsn() : ""))
          .atJsn(jsn);
    }
    return member;
  }

  /// The table after a journal, in force from `jsn` + 1. Journals that change no member leave it as
  /// it is.
  ///
  /// @param timeMs of the journal's leaf
  /// @throws RequestRejectedException `MEMBER_EXISTS`, `KEY_NOT_ALLOWED`, `UNKNOWN_KEY`,
  ///   `REVOKED_KEY`, `ROLE_NOT_ALLOWED`, `LAST_OWNER`, `KIND_NOT_ENABLED`
  public MemberTable after(RequestHeader header, long jsn, long timeMs)
      throws RequestRejectedException {
    return switch (header.extension()) {
      case Extension.None _,
          Extension.Parameters _,
          Extension.Time _,
          Extension.Removal _,
          Extension.Close _ ->
          this;
      case Extension.MemberAdd add -> withAdded(add, jsn);
      case Extension.MemberRevoke revoke -> withRevoked(revoke.kid(), jsn).checkedOwners();
      case Extension.Grant grant -> withGranted(grant, jsn, timeMs).checkedOwners();
      case Extension.KeyRotation rotation -> withRotation(rotation, jsn, timeMs);
    };
  }

  private MemberTable withAdded(Extension.MemberAdd add, long jsn) throws RequestRejectedException {
    Digest kid = add.key().kid();
    if (members.containsKey(kid)) {
      throw new RequestRejectedException(
          RejectionCode.MEMBER_EXISTS,
          "key " + kid + " is or was a member; a key is added only once");
    }
    checkNoServiceKey(add.key());
    return with(new Member(add.key(), add.role(), jsn, Member.NEVER));
  }

  private void checkNoServiceKey(PublicKey key) throws RequestRejectedException {
    if (service.keys().everHeld(key)) {
      throw new RequestRejectedException(
          RejectionCode.KEY_NOT_ALLOWED, "key " + key.kid() + " is or was a service key");
    }
  }

  private MemberTable withRotation(Extension.KeyRotation rotation, long jsn, long timeMs)
      throws RequestRejectedException {
    for (PublicKey key : List.of(rotation.noteKey(), rotation.receiptKey())) {
      if (members.containsKey(key.kid())) {
        throw new RequestRejectedException(
            RejectionCode.KEY_NOT_ALLOWED, "key " + key.kid() + " is or was a member's");
      }
    }
    return new MemberTable(genesis, members, service.rotated(rotation, jsn, timeMs));
  }

  private MemberTable withRevoked(Digest kid, long jsn) throws RequestRejectedException {
    return with(memberAt(kid, jsn).revokedAt(jsn, Optional.empty()));
  }

  /// A new key becomes a member; of a valid or expired member's key all is said anew.
  private MemberTable withGranted(Extension.Grant grant, long jsn, long timeMs)
      throws RequestRejectedException {
    Digest kid = grant.key().kid();
    checkNoServiceKey(grant.key());
    @Nullable Member before = members.containsKey(kid) ? memberAt(kid, jsn) : null;
    if (before != null && before.terms().delegated() && !grant.delegated()) {
      throw new RequestRejectedException(
          RejectionCode.KEY_NOT_ALLOWED, "key " + kid + " is delegated, and stays so for good");
    }
    MemberTable table = this;
    if (grant.replaces().isPresent()) {
      Digest replaced = grant.replaces().get();
      table = with(validMember(replaced, jsn, timeMs).revokedAt(jsn, Optional.of(kid)));
    }
    return table.with(
        new Member(
            grant.key(),
            grant.role(),
            before == null ? jsn : before.addedJsn(),
            jsn,
            new Member.Terms(
                grant.notAfterMs().orElse(Member.NEVER), grant.delegated(), grant.certDigest()),
            Member.NEVER,
            Optional.empty()));
  }

  /// @throws RequestRejectedException `LAST_OWNER` unless an owner without expiry is there;
  ///   `ROLE_NOT_ALLOWED` if a mono ledger has two owners
  private MemberTable checkedOwners() throws RequestRejectedException {
    List<Member> owners =
        members.values().stream()
            .filter(member -> member.role() == Role.OWNER && !member.revoked())
            .toList();
    if (owners.stream().allMatch(Member::expires)) {
      throw new RequestRejectedException(
          RejectionCode.LAST_OWNER, "no owner without expiry would be left");
    }
    if (owners.size() > 1 && genesis.features().contains(Feature.MONO)) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED,
          String.format(
              Locale.ROOT,
              "a second owner in a ledger with feature %d (%s): a grant must replace the owner",
              Feature.MONO.code(),
              Feature.MONO));
    }
    return this;
  }

  private MemberTable with(Member changed) {
    Map<Digest, Member> copy = new LinkedHashMap<>(members);
    copy.put(changed.key().kid(), changed);
    return new MemberTable(genesis, copy, service);
  }
}

package io.tallystick.server.world;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.Member;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The members of one ledger at one jsn; immutable, so that the sequencer, the indexer and readers
/// each hold the version they need. Source: `docs/formats/request.md`.
public final class MemberTable {
  private final GenesisParams genesis;
  private final Map<Digest, Member> members;

  private MemberTable(GenesisParams genesis, Map<Digest, Member> members) {
    this.genesis = genesis;
    this.members = members;
  }

  /// The owners of genesis, valid from jsn 1 on.
  public static MemberTable ofGenesis(GenesisParams genesis) {
    Map<Digest, Member> owners = new LinkedHashMap<>();
    for (PublicKey owner : genesis.owners()) {
      owners.put(owner.kid(), new Member(owner, Role.OWNER, 0, Member.NEVER));
    }
    return new MemberTable(genesis, owners);
  }

  /// A table as saved.
  public static MemberTable of(GenesisParams genesis, Collection<Member> saved) {
    Map<Digest, Member> members = new LinkedHashMap<>();
    for (Member member : saved) {
      members.put(member.key().kid(), member);
    }
    return new MemberTable(genesis, members);
  }

  public Collection<Member> all() {
    return List.copyOf(members.values());
  }

  public Optional<Member> find(Digest kid) {
    return Optional.ofNullable(members.get(kid));
  }

  /// Decides whether these signers may have this request at `jsn`.
  ///
  /// @throws RequestRejectedException `UNKNOWN_KEY`, `REVOKED_KEY`, `ROLE_NOT_ALLOWED`
  public void authorize(List<Digest> signers, RequestHeader header, long jsn)
      throws RequestRejectedException {
    boolean ownerSigned = false;
    for (Digest kid : signers) {
      Member member = validMember(kid, jsn);
      if (!member.role().mayAppend()) {
        throw new RequestRejectedException(
            RejectionCode.ROLE_NOT_ALLOWED,
            "member " + kid + " is " + member.role() + " and may not append");
      }
      ownerSigned |= member.role() == Role.OWNER;
    }
    if (header.kind().governance() && !ownerSigned) {
      throw new RequestRejectedException(
          RejectionCode.ROLE_NOT_ALLOWED, "kind " + header.kind() + " needs an owner's signature");
    }
  }

  /// Whether {@link #authorize} lets the request in at the next jsn, whatever that is: the table is
  /// the newest.
  public boolean admits(List<Digest> signers, RequestHeader header) {
    try {
      authorize(signers, header, Member.NEVER);
      return true;
    } catch (RequestRejectedException _) {
      return false;
    }
  }

  private Member validMember(Digest kid, long jsn) throws RequestRejectedException {
    Member member = members.get(kid);
    if (member == null) {
      throw new RequestRejectedException(
          RejectionCode.UNKNOWN_KEY, "key " + kid + " is not a member of this ledger");
    }
    if (!member.validAt(jsn)) {
      throw new RequestRejectedException(
              RejectionCode.REVOKED_KEY,
              "key "
                  + kid
                  + " is not valid at jsn "
                  + jsn
                  + ": added at "
                  + member.addedJsn()
                  + (member.revokedJsn() == Member.NEVER
                      ? ""
                      : ", revoked at " + member.revokedJsn()))
          .atJsn(jsn);
    }
    return member;
  }

  /// The table after a journal, in force from `jsn` + 1. Journals that change no member leave it as
  /// it is.
  ///
  /// @throws RequestRejectedException `MEMBER_EXISTS`, `KEY_NOT_ALLOWED`, `UNKNOWN_KEY`,
  ///   `REVOKED_KEY`, `LAST_OWNER`, `KIND_NOT_ENABLED`
  public MemberTable after(RequestHeader header, long jsn) throws RequestRejectedException {
    return switch (header.extension()) {
      case Extension.None _ -> this;
      case Extension.Parameters _ -> this;
      case Extension.MemberAdd add -> withAdded(add, jsn);
      case Extension.MemberRevoke revoke -> withRevoked(revoke.kid(), jsn);
      case Extension.KeyRotation _, Extension.Time _, Extension.Grant _, Extension.Close _ ->
          throw notEnabled(header.kind());
    };
  }

  /// This build does not carry the kind out, whatever lets it through to here.
  private static RequestRejectedException notEnabled(Kind kind) {
    return new RequestRejectedException(
        RejectionCode.KIND_NOT_ENABLED, "kind " + kind.code() + " (" + kind + ") is not enabled");
  }

  private MemberTable withAdded(Extension.MemberAdd add, long jsn) throws RequestRejectedException {
    Digest kid = add.key().kid();
    if (members.containsKey(kid)) {
      throw new RequestRejectedException(
          RejectionCode.MEMBER_EXISTS,
          "key " + kid + " is or was a member; a key is added only once");
    }
    if (kid.equals(genesis.noteKey().kid()) || kid.equals(genesis.receiptKey().kid())) {
      throw new RequestRejectedException(
          RejectionCode.KEY_NOT_ALLOWED, "key " + kid + " is a service key");
    }
    return with(new Member(add.key(), add.role(), jsn, Member.NEVER));
  }

  private MemberTable withRevoked(Digest kid, long jsn) throws RequestRejectedException {
    Member member = validMember(kid, jsn);
    if (member.revokedJsn() != Member.NEVER) {
      throw new RequestRejectedException(RejectionCode.REVOKED_KEY, "key " + kid + " is revoked");
    }
    if (member.role() == Role.OWNER && owners() == 1) {
      throw new RequestRejectedException(
          RejectionCode.LAST_OWNER, "key " + kid + " is the last owner");
    }
    return with(new Member(member.key(), member.role(), member.addedJsn(), jsn));
  }

  private long owners() {
    return members.values().stream()
        .filter(member -> member.role() == Role.OWNER && member.revokedJsn() == Member.NEVER)
        .count();
  }

  private MemberTable with(Member changed) {
    Map<Digest, Member> copy = new LinkedHashMap<>(members);
    copy.put(changed.key().kid(), changed);
    return new MemberTable(genesis, copy);
  }
}

package io.tallystick.client;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.Ledger;
import io.tallystick.api.v1.ListLedgersResponse;
import io.tallystick.api.v1.ListMembersResponse;
import io.tallystick.api.v1.Member;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A fake ledger and its members, read from its leaves.
final class FakeMembers {
  private FakeMembers() {}

  static Ledger show(FakeLedger ledger) {
    return Ledger.newBuilder()
        .setLedgerId(bytes(ledger.params.ledgerId().digest()))
        .setName("fake")
        .setGenesisParams(ByteString.copyFrom(ledger.params.encode().toArray()))
        .setSize(ledger.size())
        .build();
  }

  static ListLedgersResponse list(Collection<FakeLedger> ledgers) {
    return ListLedgersResponse.newBuilder()
        .addAllLedgers(ledgers.stream().map(FakeMembers::show).toList())
        .build();
  }

  static ListMembersResponse list(
      FakeLedger ledger, @Nullable Digest hidden, UnaryOperator<Member> tampering) {
    Map<Digest, Member.Builder> members = new LinkedHashMap<>();
    ledger.params.owners().forEach(key -> members.put(key.kid(), member(key, Role.OWNER, 0)));
    for (FakeLedger.Entry entry : ledger.entries) {
      try {
        if (Leaf.decode(entry.leaf()) instanceof JournalLeaf leaf) {
          apply(members, leaf);
        }
      } catch (MalformedException e) {
        throw new AssertionError(e);
      }
    }
    if (hidden != null) {
      members.remove(hidden);
    }
    ListMembersResponse.Builder answer = ListMembersResponse.newBuilder();
    members.values().forEach(member -> answer.addMembers(tampering.apply(member.build())));
    return answer.build();
  }

  private static void apply(Map<Digest, Member.Builder> members, JournalLeaf leaf)
      throws MalformedException {
    long jsn = leaf.jsn().value();
    switch (RequestHeader.decode(leaf.header()).extension()) {
      case Extension.MemberAdd add ->
          members.put(add.key().kid(), member(add.key(), add.role(), jsn));
      case Extension.MemberRevoke revoke ->
          members.computeIfPresent(revoke.kid(), (unused, member) -> member.setRevokedJsn(jsn));
      case Extension.Grant grant -> {
        grant
            .replaces()
            .map(members::get)
            .ifPresent(member -> member.setRevokedJsn(jsn).setReplacedBy(bytes(grant.key().kid())));
        Member.Builder before = members.get(grant.key().kid());
        Member.Builder member = member(grant.key(), grant.role(), jsn);
        if (before != null) {
          member.setAddedJsn(before.getAddedJsn()).setGrantedJsn(jsn);
        }
        grant.notAfterMs().ifPresent(member::setNotAfterMs);
        members.put(grant.key().kid(), member.setDelegated(grant.delegated()));
      }
      case Extension.None unused -> {}
      case Extension.Removal unused -> {}
      case Extension.Parameters unused -> {}
      case Extension.KeyRotation unused -> {}
      case Extension.Time unused -> {}
      case Extension.Close unused -> {}
    }
  }

  private static ByteString bytes(Digest digest) {
    return ByteString.copyFrom(digest.toArray());
  }

  private static Member.Builder member(PublicKey key, Role role, long jsn) {
    return Member.newBuilder()
        .setKid(bytes(key.kid()))
        .setSpki(ByteString.copyFrom(key.spki().toArray()))
        .setRole(role.code())
        .setAddedJsn(jsn);
  }
}

package io.tallystick.server.sim;

import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.Role;
import io.tallystick.server.sim.SimLedger.KnownMember;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Who may sign what, and what becomes of members, by the rules and not by the code.
///
/// @param members by kid, before the journal
/// @param jsn that the journal would have
/// @param timeMs that its leaf would have
record MemberRules(SimLedger ledger, Map<Digest, KnownMember> members, long jsn, long timeMs) {
  void checkSigners(List<Digest> kids, RequestHeader header) throws Refusal {
    if (header.kind() == Kind.TIME) {
      if (!kids.equals(List.of(ledger.serviceKeys.receiptKey().kid()))) {
        throw new Refusal(RejectionCode.ROLE_NOT_ALLOWED);
      }
      return;
    }
    boolean owner = false;
    boolean regulator = false;
    for (Digest kid : kids) {
      KnownMember member = valid(kid);
      boolean reads = member.role() == Role.READ_ONLY || member.role() == Role.VERIFY_ONLY;
      if (reads && header.kind() != Kind.PURGE) {
        throw new Refusal(RejectionCode.ROLE_NOT_ALLOWED);
      }
      owner |= member.role() == Role.OWNER;
      regulator |= member.role() == Role.REGULATOR;
    }
    boolean missing =
        switch (header.kind()) {
          case OCCULT -> !owner || !regulator;
          case PURGE -> !owner;
          default -> false;
        };
    if (missing) {
      throw new Refusal(RejectionCode.SIGNATURES_MISSING);
    }
    if (header.kind().governance() && !owner) {
      throw new Refusal(RejectionCode.ROLE_NOT_ALLOWED);
    }
    if (header.kind() == Kind.CLOSE && !kids.containsAll(owners())) {
      throw new Refusal(RejectionCode.SIGNATURES_MISSING);
    }
    if (ledger.isPermanent() && (header.kind() == Kind.PURGE || header.kind() == Kind.OCCULT)) {
      throw new Refusal(RejectionCode.FEATURE_FORBIDS);
    }
    checkStyle(header.extension());
    if (header.extension() instanceof Extension.Grant grant && grant.certDigest().isPresent()) {
      throw new Refusal(RejectionCode.CERTIFICATE_INVALID);
    }
  }

  private void checkStyle(Extension extension) throws Refusal {
    Role role = null;
    boolean delegated = false;
    if (extension instanceof Extension.MemberAdd add) {
      role = add.role();
    } else if (extension instanceof Extension.Grant grant) {
      role = grant.role();
      delegated = grant.delegated();
    }
    Set<Feature> style = ledger.params.features();
    boolean secondOwner = role == Role.OWNER && extension instanceof Extension.MemberAdd;
    if (style.contains(Feature.MONO) && (role == Role.NORMAL || secondOwner)) {
      throw new Refusal(RejectionCode.ROLE_NOT_ALLOWED);
    }
    if (style.contains(Feature.DELEGATED) && role == Role.NORMAL && !delegated) {
      throw new Refusal(RejectionCode.ROLE_NOT_ALLOWED);
    }
  }

  /// The owners whose signature counts.
  Set<Digest> owners() {
    Map<Digest, KnownMember> owners = new LinkedHashMap<>(members);
    owners
        .values()
        .removeIf(member ->
            member.role() != Role.OWNER || member.revoked() || timeMs > member.notAfterMs());
    return owners.keySet();
  }

  boolean anyDelegated(List<Digest> kids) {
    return kids.stream().anyMatch(kid -> members.containsKey(kid) && members.get(kid).delegated());
  }

  private KnownMember valid(Digest kid) throws Refusal {
    KnownMember member = known(kid);
    if (timeMs > member.notAfterMs()) {
      throw new Refusal(RejectionCode.REVOKED_KEY);
    }
    return member;
  }

  /// A member, expired or not.
  private KnownMember known(Digest kid) throws Refusal {
    KnownMember member = members.get(kid);
    if (member == null) {
      throw new Refusal(RejectionCode.UNKNOWN_KEY);
    }
    if (member.revoked()) {
      throw new Refusal(RejectionCode.REVOKED_KEY);
    }
    return member;
  }

  Map<Digest, KnownMember> after(Extension extension) throws Refusal {
    return switch (extension) {
      case Extension.None _,
          Extension.Parameters _,
          Extension.Time _,
          Extension.Removal _,
          Extension.Close _ ->
          members;
      case Extension.KeyRotation rotation -> {
        checkRotation(rotation);
        yield members;
      }
      case Extension.MemberAdd(Role role, PublicKey key) -> {
        if (members.containsKey(key.kid())) {
          throw new Refusal(RejectionCode.MEMBER_EXISTS);
        }
        checkNoServiceKey(key);
        yield with(Map.of(key.kid(), SimLedger.added(role, jsn)));
      }
      case Extension.MemberRevoke(Digest kid) ->
          lastingOwner(with(Map.of(kid, known(kid).revokedAt(jsn, null))));
      case Extension.Grant grant -> lastingOwner(granted(grant));
    };
  }

  private Map<Digest, KnownMember> granted(Extension.Grant grant) throws Refusal {
    Digest kid = grant.key().kid();
    checkNoServiceKey(grant.key());
    Map<Digest, KnownMember> changed = new LinkedHashMap<>();
    long added = jsn;
    if (members.containsKey(kid)) {
      KnownMember before = known(kid);
      added = before.addedJsn();
      if (before.delegated() && !grant.delegated()) {
        throw new Refusal(RejectionCode.KEY_NOT_ALLOWED);
      }
    }
    if (grant.replaces().isPresent()) {
      Digest replaced = grant.replaces().get();
      changed.put(replaced, valid(replaced).revokedAt(jsn, kid));
    }
    long notAfterMs = grant.notAfterMs().orElse(SimLedger.NEVER);
    changed.put(
        kid,
        new KnownMember(grant.role(), added, SimLedger.NEVER, notAfterMs, grant.delegated(), null));
    return with(changed);
  }

  /// One key at least changes; what changes was never a service key here nor a member's; and the
  /// service has to hold the pair.
  private void checkRotation(Extension.KeyRotation rotation) throws Refusal {
    boolean noteStays = rotation.noteKey().equals(ledger.serviceKeys.noteKey());
    boolean receiptStays = rotation.receiptKey().equals(ledger.serviceKeys.receiptKey());
    boolean allowed =
        !(noteStays && receiptStays)
            && (noteStays || isNew(rotation.noteKey()))
            && (receiptStays || isNew(rotation.receiptKey()))
            && ledger.pairs.holds(rotation);
    if (!allowed) {
      throw new Refusal(RejectionCode.KEY_NOT_ALLOWED);
    }
  }

  private boolean isNew(PublicKey key) {
    return !ledger.wasServiceKey(key) && !members.containsKey(key.kid());
  }

  private void checkNoServiceKey(PublicKey key) throws Refusal {
    if (ledger.wasServiceKey(key)) {
      throw new Refusal(RejectionCode.KEY_NOT_ALLOWED);
    }
  }

  private Map<Digest, KnownMember> with(Map<Digest, KnownMember> changed) {
    Map<Digest, KnownMember> copy = new LinkedHashMap<>(members);
    copy.putAll(changed);
    return copy;
  }

  private Map<Digest, KnownMember> lastingOwner(Map<Digest, KnownMember> after) throws Refusal {
    List<KnownMember> owners =
        after.values().stream()
            .filter(member -> member.role() == Role.OWNER && !member.revoked())
            .toList();
    if (owners.stream().noneMatch(member -> member.notAfterMs() == SimLedger.NEVER)) {
      throw new Refusal(RejectionCode.LAST_OWNER);
    }
    if (ledger.params.features().contains(Feature.MONO) && owners.size() != 1) {
      throw new Refusal(RejectionCode.ROLE_NOT_ALLOWED);
    }
    return after;
  }
}

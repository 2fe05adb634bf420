package io.tallystick.evidence;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestTimes;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// Who is a member and which keys are the service's, from genesis on, as journals of governance
/// tell one after another. Whether the journals are in the log, and all of them, is the caller's to
/// judge. Not thread-safe. Source: `docs/formats/people-and-time.md`.
public final class GovernanceReplay {
  private final GenesisParams genesis;
  private final StrandId strand;
  private final Signatures signatures;
  private final Map<Digest, ShownMember> members = new HashMap<>();
  private final Set<Digest> revoked = new HashSet<>();
  private ServiceKeys keys;
  private long lastJsn;
  private long lastTimeMs;
  private boolean closed;

  public GovernanceReplay(GenesisParams genesis, StrandId strand, Signatures signatures) {
    this.genesis = genesis;
    this.strand = strand;
    this.signatures = signatures;
    this.keys = new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey());
    for (PublicKey owner : genesis.owners()) {
      members.put(
          owner.kid(),
          new ShownMember(
              owner, Role.OWNER, new Jsn(0), genesis.createdMs(), OptionalLong.empty(), false));
    }
  }

  /// The same, to be continued on its own.
  GovernanceReplay copy() {
    GovernanceReplay copy = new GovernanceReplay(genesis, strand, signatures);
    copy.members.clear();
    copy.members.putAll(members);
    copy.revoked.addAll(revoked);
    copy.keys = keys;
    copy.lastJsn = lastJsn;
    copy.lastTimeMs = lastTimeMs;
    copy.closed = closed;
    return copy;
  }

  /// The service's keys that the rotations so far lead to.
  public ServiceKeys keys() {
    return keys;
  }

  /// Those not revoked and not replaced so far, expired ones too; in no order.
  public Collection<ShownMember> members() {
    return List.copyOf(members.values());
  }

  /// Checks a journal's place, its request's times and its attestation, and carries it out.
  public void add(ShownJournal journal, Bytes attestation) throws ProofRejectedException {
    check(journal, attestation);
    apply(journal);
  }

  /// The same without carrying it out.
  ///
  /// @return the members that signed, ascending by kid
  public List<ShownMember> check(ShownJournal journal, Bytes attestation)
      throws ProofRejectedException {
    checkPlace(journal);
    return signers(journal, attestation);
  }

  void checkPlace(ShownJournal journal) throws ProofRejectedException {
    if (journal.jsn().value() <= lastJsn || journal.timeMs() < lastTimeMs) {
      throw broken(journal, "stands behind jsn " + lastJsn + " of the journals shown");
    }
    if (journal.leaf().batchCount() != 1) {
      throw broken(journal, "stands in a batch");
    }
    try {
      RequestTimes.check(journal.header(), journal.timeMs(), genesis.maxWindowMs());
    } catch (RequestRejectedException e) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN, "journal " + journal.jsn() + ": " + e.getMessage(), e);
    }
  }

  /// Verifies the attestation of a journal that stands behind those so far, and whether those
  /// signed that its kind needs, as far as the kind alone tells.
  ///
  /// @return the members that signed, ascending by kid
  List<ShownMember> signers(ShownJournal journal, Bytes encoded) throws ProofRejectedException {
    Digest hash = Attestation.hash(encoded);
    if (!hash.equals(journal.leaf().attestHash())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          "attestation hashes to " + hash + ", the leaf says " + journal.leaf().attestHash());
    }
    Attestation attestation;
    try {
      attestation = Attestation.decode(encoded, journal.header().kind());
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "attestation: " + e.getMessage(), e);
    }
    KeyLookup valid = kid -> valid(kid, journal.timeMs()).map(ShownMember::key);
    List<ShownMember> signers = new ArrayList<>();
    for (AttestationVerifier.Signer signer :
        AttestationVerifier.verify(
            strand,
            List.of(journal.header()),
            List.of(journal.requestHash()),
            attestation,
            valid.withReceiptKey(keys.receiptKey()),
            signatures)) {
      if (!signer.service()) {
        valid(signer.kid(), journal.timeMs()).ifPresent(signers::add);
      }
    }
    checkRoles(journal, signers);
    return List.copyOf(signers);
  }

  private Optional<ShownMember> valid(Digest kid, long timeMs) {
    return Optional.ofNullable(members.get(kid)).filter(member -> member.validAt(timeMs));
  }

  private void checkRoles(ShownJournal journal, List<ShownMember> signers)
      throws ProofRejectedException {
    Kind kind = journal.header().kind();
    for (ShownMember signer : signers) {
      // A reader whose journals a purge removes signs it, too.
      if (!signer.role().mayAppend() && kind != Kind.PURGE) {
        throw broken(journal, "is signed by " + signer.key().kid() + ", which is " + signer.role());
      }
    }
    if (kind != Kind.TIME && !signed(signers, Role.OWNER)) {
      throw missing(journal, "no owner signed");
    }
    if (kind == Kind.OCCULT && !signed(signers, Role.REGULATOR)) {
      throw missing(journal, "no regulator signed");
    }
    if (kind == Kind.CLOSE) {
      checkAllOwners(journal, signers);
    }
    boolean delegated = signers.stream().anyMatch(ShownMember::delegated);
    if (delegated != journal.leaf().delegated()) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          String.format(
              Locale.ROOT,
              "journal %s is marked %s, a signer's key is %s",
              journal.jsn(),
              journal.leaf().delegated(),
              delegated));
    }
  }

  private static boolean signed(List<ShownMember> signers, Role role) {
    return signers.stream().anyMatch(signer -> signer.role() == role);
  }

  private void checkAllOwners(ShownJournal journal, List<ShownMember> signers)
      throws ProofRejectedException {
    for (ShownMember member : members.values()) {
      boolean must = member.role() == Role.OWNER && member.validAt(journal.timeMs());
      if (must && !signers.contains(member)) {
        throw missing(journal, "owner " + member.key().kid() + " did not sign");
      }
    }
  }

  /// Carries out a journal whose place and signers are right.
  void apply(ShownJournal journal) throws ProofRejectedException {
    Extension extension = journal.header().extension();
    if (closed && !allowedAfterClose(extension)) {
      throw broken(journal, "changes a ledger that was closed");
    }
    switch (extension) {
      case Extension.MemberAdd(Role role, PublicKey key) -> {
        if (members.containsKey(key.kid())) {
          throw broken(journal, "adds " + key.kid() + ", which is a member");
        }
        put(journal, key, role, OptionalLong.empty(), false);
      }
      case Extension.MemberRevoke(Digest kid) -> {
        if (!members.containsKey(kid)) {
          throw broken(journal, "revokes " + kid + ", which is no member");
        }
        revoke(kid);
      }
      case Extension.Grant grant -> grant(journal, grant);
      case Extension.KeyRotation rotation -> rotate(journal, rotation);
      case Extension.Close unused -> closed = true;
      case Extension.None unused -> {}
      case Extension.Parameters unused -> {}
      case Extension.Time unused -> {}
      case Extension.Removal unused -> {}
    }
    lastJsn = journal.jsn().value();
    lastTimeMs = journal.timeMs();
  }

  private static boolean allowedAfterClose(Extension extension) {
    return switch (extension) {
      case Extension.KeyRotation unused -> true;
      case Extension.Time unused -> true;
      case Extension.Removal unused -> true;
      case Extension.None unused -> false;
      case Extension.MemberAdd unused -> false;
      case Extension.MemberRevoke unused -> false;
      case Extension.Parameters unused -> false;
      case Extension.Grant unused -> false;
      case Extension.Close unused -> false;
    };
  }

  private void grant(ShownJournal journal, Extension.Grant grant) throws ProofRejectedException {
    ShownMember before = members.get(grant.key().kid());
    if (before != null && before.delegated() && !grant.delegated()) {
      throw broken(journal, "takes the mark of delegated from " + grant.key().kid());
    }
    put(journal, grant.key(), grant.role(), grant.notAfterMs(), grant.delegated());
    grant.replaces().ifPresent(this::revoke);
  }

  private void put(
      ShownJournal journal, PublicKey key, Role role, OptionalLong notAfterMs, boolean delegated)
      throws ProofRejectedException {
    Digest kid = key.kid();
    if (revoked.contains(kid) || keys.everHeld(key)) {
      throw broken(journal, "gives a role to " + kid + ", which is revoked or the service's");
    }
    signatures.checkKey(key);
    Jsn since = journal.jsn();
    long sinceMs = journal.timeMs();
    ShownMember before = members.get(kid);
    if (before != null && before.role() == role) {
      since = before.since();
      sinceMs = before.sinceMs();
    }
    members.put(kid, new ShownMember(key, role, since, sinceMs, notAfterMs, delegated));
  }

  private void revoke(Digest kid) {
    members.remove(kid);
    revoked.add(kid);
  }

  private void rotate(ShownJournal journal, Extension.KeyRotation rotation)
      throws ProofRejectedException {
    for (PublicKey key : List.of(rotation.noteKey(), rotation.receiptKey())) {
      if (members.containsKey(key.kid()) || revoked.contains(key.kid())) {
        throw broken(journal, "rotates to " + key.kid() + ", which is or was a member's");
      }
      signatures.checkKey(key);
    }
    try {
      keys = keys.rotated(journal.jsn(), rotation.noteKey(), rotation.receiptKey());
    } catch (IllegalArgumentException e) {
      throw new ProofRejectedException(Reason.BROKEN_CHAIN, String.valueOf(e.getMessage()), e);
    }
  }

  private static ProofRejectedException missing(ShownJournal journal, String what) {
    return new ProofRejectedException(
        Reason.MISSING,
        String.format(
            Locale.ROOT,
            "%s journal %s, of kind %d",
            what,
            journal.jsn(),
            journal.header().kind().code()));
  }

  private static ProofRejectedException broken(ShownJournal journal, String what) {
    return new ProofRejectedException(Reason.BROKEN_CHAIN, "journal " + journal.jsn() + " " + what);
  }
}

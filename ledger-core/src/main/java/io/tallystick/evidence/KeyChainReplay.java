package io.tallystick.evidence;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.Extension;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.RequestTimes;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.ReceiptFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// Replays the journals of a key chain: who is a member as far as they tell, and which keys are the
/// service's. Not thread-safe.
final class KeyChainReplay {
  private final GenesisParams genesis;
  private final StrandId strand;
  private final Signatures signatures;
  private final Map<Digest, Member> members = new HashMap<>();
  private final Set<Digest> revoked = new HashSet<>();
  private final List<SignedHead> heads = new ArrayList<>();
  private ServiceKeys keys;
  private long lastJsn;
  private long lastTimeMs;

  private record Member(PublicKey key, Role role, OptionalLong notAfterMs, boolean delegated) {
    boolean validAt(long timeMs) {
      return notAfterMs.isEmpty() || timeMs <= notAfterMs.getAsLong();
    }
  }

  private record Journal(JournalLeaf leaf, RequestHeader header, Digest requestHash) {}

  KeyChainReplay(GenesisParams genesis, StrandId strand, Signatures signatures) {
    this.genesis = genesis;
    this.strand = strand;
    this.signatures = signatures;
    this.keys = new ServiceKeys(genesis.authority(), genesis.noteKey(), genesis.receiptKey());
    for (PublicKey owner : genesis.owners()) {
      members.put(owner.kid(), new Member(owner, Role.OWNER, OptionalLong.empty(), false));
    }
  }

  KeyChain.Verified verified() {
    return new KeyChain.Verified(keys, heads);
  }

  void add(KeyChain.Entry entry) throws ProofRejectedException {
    ReceiptFile file;
    Journal journal;
    try {
      file = ReceiptFile.decode(entry.receiptFile());
      journal = journal(file.leaf());
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "journal of a key chain: " + e.getMessage(), e);
    }
    checkPlace(journal, file);
    heads.add(file.verify(strand, keys, signatures));
    checkSigners(journal, entry.attestation());
    apply(journal);
    lastJsn = journal.leaf.jsn().value();
    lastTimeMs = journal.leaf.timeMs();
  }

  private static Journal journal(Bytes encoded) throws MalformedException, ProofRejectedException {
    if (!(Leaf.decode(encoded) instanceof JournalLeaf leaf)) {
      throw new ProofRejectedException(Reason.WRONG_TYPE, "a leaf in a key chain is no journal");
    }
    Digest hash = RequestHeader.hash(leaf.header());
    return new Journal(leaf, RequestHeader.decode(leaf.header()), hash);
  }

  private void checkPlace(Journal journal, ReceiptFile file) throws ProofRejectedException {
    JournalLeaf leaf = journal.leaf;
    if (leaf.jsn().value() <= lastJsn || leaf.timeMs() < lastTimeMs) {
      throw broken(journal, "stands behind jsn " + lastJsn + " of a key chain");
    }
    if (leaf.batchCount() != 1) {
      throw broken(journal, "stands in a batch");
    }
    long size = file.receipt().head().header().treeSize().value();
    if (journal.header.kind() == Kind.KEY_ROTATION && size != leaf.jsn().value() + 2) {
      // The head that the rotation's own block leaves: the last one the old keys judge.
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          "rotation %s is under size %d, want %d"
              .formatted(leaf.jsn(), size, leaf.jsn().value() + 2));
    }
    try {
      RequestTimes.check(journal.header, leaf.timeMs(), genesis.maxWindowMs());
    } catch (RequestRejectedException e) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN, "journal " + leaf.jsn() + ": " + e.getMessage(), e);
    }
  }

  private void checkSigners(Journal journal, Bytes encoded) throws ProofRejectedException {
    Digest hash = Attestation.hash(encoded);
    if (!hash.equals(journal.leaf.attestHash())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          "attestation hashes to " + hash + ", the leaf says " + journal.leaf.attestHash());
    }
    Attestation attestation;
    try {
      attestation = Attestation.decode(encoded, journal.header.kind());
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "attestation: " + e.getMessage(), e);
    }
    long timeMs = journal.leaf.timeMs();
    KeyLookup valid =
        kid ->
            Optional.ofNullable(members.get(kid))
                .filter(member -> member.validAt(timeMs))
                .map(Member::key);
    checkRoles(
        journal,
        AttestationVerifier.verify(
            strand,
            List.of(journal.header),
            List.of(journal.requestHash),
            attestation,
            valid.withReceiptKey(keys.receiptKey()),
            signatures));
  }

  private void checkRoles(Journal journal, List<AttestationVerifier.Signer> signers)
      throws ProofRejectedException {
    boolean owner = false;
    boolean delegated = false;
    for (AttestationVerifier.Signer signer : signers) {
      Member member = signer.service() ? null : members.get(signer.kid());
      if (member != null) {
        if (!member.role.mayAppend()) {
          throw broken(journal, "is signed by " + signer.kid() + ", which is " + member.role);
        }
        owner |= member.role == Role.OWNER;
        delegated |= member.delegated;
      }
    }
    if (!owner) {
      throw new ProofRejectedException(
          Reason.MISSING, "no owner signed journal " + journal.leaf.jsn() + " of a key chain");
    }
    if (delegated != journal.leaf.delegated()) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          "journal %s is marked %s, a signer's key is %s"
              .formatted(journal.leaf.jsn(), journal.leaf.delegated(), delegated));
    }
  }

  private void apply(Journal journal) throws ProofRejectedException {
    switch (journal.header.extension()) {
      case Extension.MemberAdd(Role role, PublicKey key) -> {
        if (members.containsKey(key.kid())) {
          throw broken(journal, "adds " + key.kid() + ", which is a member");
        }
        put(journal, new Member(key, role, OptionalLong.empty(), false));
      }
      case Extension.Grant grant -> {
        Member before = members.get(grant.key().kid());
        if (before != null && before.delegated && !grant.delegated()) {
          throw broken(journal, "takes the mark of delegated from " + grant.key().kid());
        }
        put(journal, new Member(grant.key(), grant.role(), grant.notAfterMs(), grant.delegated()));
        grant.replaces().ifPresent(this::revoke);
      }
      case Extension.KeyRotation rotation -> rotate(journal, rotation);
      case Extension.None _,
          Extension.MemberRevoke _,
          Extension.Parameters _,
          Extension.Time _,
          Extension.Removal _,
          Extension.Close _ ->
          throw new ProofRejectedException(
              Reason.WRONG_TYPE,
              "kind " + journal.header.kind().code() + " in a key chain, want 16, 19 or 24");
    }
  }

  private void put(Journal journal, Member member) throws ProofRejectedException {
    Digest kid = member.key.kid();
    if (revoked.contains(kid) || keys.everHeld(member.key)) {
      throw broken(journal, "gives a role to " + kid + ", which is revoked or the service's");
    }
    signatures.checkKey(member.key);
    members.put(kid, member);
  }

  private void revoke(Digest kid) {
    members.remove(kid);
    revoked.add(kid);
  }

  private void rotate(Journal journal, Extension.KeyRotation rotation)
      throws ProofRejectedException {
    for (PublicKey key : List.of(rotation.noteKey(), rotation.receiptKey())) {
      if (members.containsKey(key.kid()) || revoked.contains(key.kid())) {
        throw broken(journal, "rotates to " + key.kid() + ", which is or was a member's");
      }
      signatures.checkKey(key);
    }
    try {
      keys = keys.rotated(journal.leaf.jsn(), rotation.noteKey(), rotation.receiptKey());
    } catch (IllegalArgumentException e) {
      throw new ProofRejectedException(Reason.BROKEN_CHAIN, String.valueOf(e.getMessage()), e);
    }
  }

  private static ProofRejectedException broken(Journal journal, String what) {
    return new ProofRejectedException(
        Reason.BROKEN_CHAIN, "journal " + journal.leaf.jsn() + " " + what);
  }
}

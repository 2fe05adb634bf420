package io.tallystick.removal;

import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.GovernanceReplay;
import io.tallystick.evidence.KeyChain;
import io.tallystick.evidence.ShownJournal;
import io.tallystick.evidence.ShownMember;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.ServiceKeys.Term;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisParams;
import io.tallystick.journal.GenesisVerifier;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.ReceiptFile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Verifies one pseudo-genesis, in the order of `docs/formats/removal.md`. Not thread-safe.
final class PseudoGenesisCheck {
  private final PseudoGenesis file;
  private final Snapshot snapshot;
  private final StrandId strand;
  private final KeyChain chain;
  private final Signatures signatures;

  /// The lowest jsn that the purge removes: where the one before it ended.
  private Jsn lowest = new Jsn(0);

  /// The same of that one, in case it was recalled.
  private Jsn lowestBefore = new Jsn(0);

  PseudoGenesisCheck(PseudoGenesis file, StrandId strand, KeyChain chain, Signatures signatures)
      throws MalformedException {
    this.file = file;
    this.snapshot = Snapshot.decode(file.snapshot());
    this.strand = strand;
    this.chain = chain;
    this.signatures = signatures;
  }

  PseudoGenesis.Verified verify() throws MalformedException, ProofRejectedException {
    if (snapshot.strand() != strand.strand()) {
      throw new ProofRejectedException(
          Reason.WRONG_LEDGER, "snapshot of strand " + snapshot.strand() + ", want " + strand);
    }
    KeyChain.Verified shown = chain.verify(snapshot.genesisParams(), strand, signatures);
    ReceiptFile receipt = ReceiptFile.decode(file.purge());
    ShownJournal purge = ShownJournal.of(receipt.leaf());
    List<SignedHead> heads = new ArrayList<>(shown.heads());
    heads.add(receipt.verify(strand, shown.keys(), signatures));
    Extension.Purge content = content(purge);
    SealLeaf seal = seal();
    GovernanceReplay replay = replay();
    checkKeys(replay.keys(), shown.keys());
    List<ShownMember> members = List.copyOf(replay.members());
    ServiceKeys keptKeys = replay.keys();
    continueTo(replay, purge);
    List<ShownMember> signers = replay.check(purge, file.attestation());
    checkSigners(purge, signers);
    return new PseudoGenesis.Verified(
        strand,
        GenesisParams.decode(snapshot.genesisParams()),
        snapshot,
        seal,
        new JournalRoot(snapshot.root()),
        purge,
        content,
        signers,
        members,
        keptKeys,
        heads);
  }

  private Extension.Purge content(ShownJournal purge) throws ProofRejectedException {
    if (!(purge.header().extension() instanceof Extension.Purge content)) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE, "journal " + purge.jsn() + " is no purge");
    }
    if (!content.firstKept().equals(snapshot.firstKept())
        || content.height() != snapshot.height()
        || content.firstKept().compareTo(purge.jsn()) > 0) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "purge %s up to block %d, first kept %s; the snapshot is of block %d, first kept %s",
              purge.jsn(),
              content.height(),
              content.firstKept(),
              snapshot.height(),
              snapshot.firstKept()));
    }
    Digest digest = Snapshot.digest(file.snapshot());
    if (!digest.equals(content.snapshotDigest())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          String.format(
              Locale.ROOT,
              "snapshot has digest %s, the purge states %s",
              digest,
              content.snapshotDigest()));
    }
    return content;
  }

  private SealLeaf seal() throws MalformedException, ProofRejectedException {
    SealLeaf seal = snapshot.sealLeaf();
    if (seal.jsn().value() != snapshot.firstKept().value() - 1
        || seal.height() != snapshot.height()) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "seal %s of block %d, the snapshot is of block %d, first kept %s",
              seal.jsn(),
              seal.height(),
              snapshot.height(),
              snapshot.firstKept()));
    }
    Digest root = snapshot.journalRoot();
    if (!root.equals(seal.journalRoot())) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH,
          String.format(
              Locale.ROOT,
              "the frontier folds to %s, the seal states %s",
              root,
              seal.journalRoot()));
    }
    return seal;
  }

  private GovernanceReplay replay() throws MalformedException, ProofRejectedException {
    checkGenesis(snapshot.kept().getFirst());
    GenesisParams genesis = GenesisParams.decode(snapshot.genesisParams());
    if (genesis.features().contains(Feature.PERMANENT)) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN, "a purge of a ledger with feature 5 (PERMANENT)");
    }
    GovernanceReplay replay = new GovernanceReplay(genesis, strand, signatures);
    boolean time = false;
    for (Snapshot.Kept kept : snapshot.kept().subList(1, snapshot.kept().size())) {
      ShownJournal journal = ShownJournal.of(kept.leaf());
      checkIncluded(kept, journal.jsn());
      Kind kind = journal.header().kind();
      if (!kind.governance() || (kind == Kind.TIME && time)) {
        throw new ProofRejectedException(
            Reason.WRONG_TYPE,
            String.format(
                Locale.ROOT,
                "journal %s of kind %d is not to be kept",
                journal.jsn(),
                kind.code()));
      }
      time |= kind == Kind.TIME;
      replay.add(journal, kept.attestation());
      follow(journal);
    }
    return replay;
  }

  /// Where the purge before ended, unless it was recalled.
  private void follow(ShownJournal journal) {
    switch (journal.header().extension()) {
      case Extension.Purge purge -> {
        lowestBefore = lowest;
        lowest = purge.firstKept();
      }
      case Extension.Recall unused -> lowest = lowestBefore;
      default -> {}
    }
  }

  private void checkGenesis(Snapshot.Kept kept) throws MalformedException, ProofRejectedException {
    if (!(Leaf.decode(kept.leaf()) instanceof GenesisLeaf genesis)
        || !genesis.genesisParams().equals(snapshot.genesisParams())
        || genesis.strand() != strand.strand()) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE, "the first leaf kept is not this ledger's genesis");
    }
    checkIncluded(kept, genesis.jsn());
    if (!Attestation.hash(kept.attestation()).equals(genesis.attestHash())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH, "the attestation of genesis is another");
    }
    GenesisVerifier.verify(
        snapshot.genesisParams(), Attestation.decode(kept.attestation()), signatures);
  }

  private void checkIncluded(Snapshot.Kept kept, Jsn jsn) throws ProofRejectedException {
    new InclusionProof(jsn.value(), snapshot.firstKept().value(), kept.path())
        .verify(Leaf.hash(kept.leaf()), new JournalRoot(snapshot.root()));
  }

  /// The rotations kept must be those of the key chain.
  private void checkKeys(ServiceKeys kept, ServiceKeys shown) throws ProofRejectedException {
    long end = snapshot.firstKept().value();
    List<Term> want = shown.terms().stream().filter(term -> term.above().value() <= end).toList();
    if (!kept.terms().equals(want)) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY,
          String.format(
              Locale.ROOT,
              "%d pairs of keys by the journals kept, %d by the key chain, or others",
              kept.terms().size(),
              want.size()));
    }
  }

  /// Adds the journals of the key chain between the snapshot and the purge.
  private void continueTo(GovernanceReplay replay, ShownJournal purge)
      throws MalformedException, ProofRejectedException {
    for (KeyChain.Entry entry : chain.entries()) {
      Bytes leaf = ReceiptFile.decode(entry.receiptFile()).leaf();
      ShownJournal journal = ShownJournal.of(leaf);
      if (journal.jsn().compareTo(snapshot.firstKept()) >= 0
          && journal.jsn().compareTo(purge.jsn()) < 0) {
        replay.add(journal, entry.attestation());
      }
    }
  }

  private void checkSigners(ShownJournal purge, List<ShownMember> signers)
      throws ProofRejectedException {
    Set<Digest> signed = new HashSet<>();
    signers.forEach(signer -> signed.add(signer.key().kid()));
    Set<Digest> mustSign = new HashSet<>(snapshot.affected());
    Set<Digest> absent = new HashSet<>(snapshot.absent());
    for (ShownMember signer : signers) {
      boolean affected = mustSign.contains(signer.key().kid());
      if (!signer.role().mayAppend() && !affected) {
        throw new ProofRejectedException(
            Reason.NOT_A_MEMBER,
            String.format(
                Locale.ROOT,
                "purge %s is signed by %s, which is %s and not affected",
                purge.jsn(),
                signer.key().kid(),
                signer.role()));
      }
    }
    for (Digest kid : snapshot.affected()) {
      if (!signed.contains(kid) && !absent.contains(kid)) {
        throw new ProofRejectedException(
            Reason.MISSING,
            String.format(
                Locale.ROOT,
                "affected member %s neither signed purge %s nor is absent",
                kid,
                purge.jsn()));
      }
      if (signed.contains(kid) && absent.contains(kid)) {
        throw new ProofRejectedException(
            Reason.BROKEN_CHAIN, String.format(Locale.ROOT, "member %s signed and is absent", kid));
      }
    }
    if (!absent.isEmpty()) {
      RemovalSigners.checkRegulator(purge, signers, lowest);
    }
  }
}

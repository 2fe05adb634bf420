package io.tallystick.audit.evidence;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.ForkEvidence;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.lineage.LineageFile;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.misbehaviour.Claim;
import io.tallystick.misbehaviour.Misbehaviour;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.ReceiptFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Puts evidence together from receipt files, which the service signed, and a copy of its log. What
/// it returns is not yet confirmed: {@link Misbehaviour#confirm} and {@link ForkEvidence#confirm}
/// do that.
///
/// @param log of the same ledger; needed only where a method says so
public record EvidenceMaker(
    StrandId strand, Bytes genesisParams, KeyChain keyChain, Optional<EvidenceLog> log) {

  /// A journal that is dated outside a token's bounds.
  ///
  /// @param time receipt file of the time journal
  /// @param journal of the other one; empty if the time journal itself is misdated. For a journal
  ///   below the token's size the log is needed
  public Misbehaviour misdated(Bytes time, Optional<Bytes> journal)
      throws MalformedException, ProofRejectedException {
    if (journal.isEmpty()) {
      return misbehaviour(Claim.MISDATED, List.of(time), List.of());
    }
    Leaf other = leaf(journal.get());
    if (!(header(leaf(time)).extension() instanceof Extension.Time stated)) {
      throw new ProofRejectedException(
          Reason.WRONG_TYPE, "journal " + leaf(time).jsn() + " is no time journal");
    }
    List<Bytes> items = List.of();
    if (other.jsn().value() < stated.size().value()) {
      EvidenceLog copy = needLog();
      checkReaches(copy, stated.size().value());
      items =
          List.of(
              InclusionProofBytes.encode(
                  copy.inclusion(other.jsn().value(), stated.size().value())));
    }
    return misbehaviour(Claim.MISDATED, List.of(time, journal.get()), items);
  }

  /// An attestation that does not verify. The log is needed.
  ///
  /// @param journals receipt files of one journal, or of all of its batch in order
  public Misbehaviour falseAttestation(List<Bytes> journals)
      throws MalformedException, ProofRejectedException {
    EvidenceLog copy = needLog();
    Digest hash = attestHash(journals.getFirst());
    Bytes attestation =
        copy.attestation(hash)
            .orElseThrow(() ->
                new ProofRejectedException(
                    Reason.MISSING, "the log has no attestation with hash " + hash));
    List<Bytes> items = new ArrayList<>();
    items.add(attestation);
    for (Digest kid : kids(attestation)) {
      copy.key(kid).map(PublicKey::spki).ifPresent(items::add);
    }
    return misbehaviour(Claim.FALSE_ATTESTATION, journals, items);
  }

  /// The hash by which a log is searched for the attestation of a journal.
  ///
  /// @throws ProofRejectedException `WRONG_TYPE` if the receipt is not a journal's
  public static Digest attestHash(Bytes receiptFile)
      throws MalformedException, ProofRejectedException {
    return journal(leaf(receiptFile)).attestHash();
  }

  /// The kids of an attestation's signers; none if the bytes are no attestation.
  private static List<Digest> kids(Bytes attestation) {
    try {
      List<Digest> kids = new ArrayList<>();
      for (CoseSign1 signature : Attestation.decode(attestation).signatures()) {
        kids.add(ProtectedHeader.decode(signature.protectedHeader()).kid());
      }
      return kids;
    } catch (MalformedException _) {
      return List.of();
    }
  }

  /// A seal that states another root than its block's head.
  ///
  /// @param seal receipt file of the seal, under the head that it closes
  public Misbehaviour falseSeal(Bytes seal) {
    return misbehaviour(Claim.FALSE_SEAL, List.of(seal), List.of());
  }

  /// A journal that a clue's lineage leaves out.
  ///
  /// @param journal receipt file of the journal, under the lineage's head
  /// @param lineage of a clue that the journal names, or that it was never used
  public Misbehaviour omittedJournal(Bytes journal, LineageFile lineage) {
    return misbehaviour(
        Claim.OMITTED_JOURNAL,
        List.of(journal),
        List.of(lineage.clueId().toBytes(), lineage.proof()));
  }

  private Misbehaviour misbehaviour(Claim claim, List<Bytes> receipts, List<Bytes> items) {
    return new Misbehaviour(claim, genesisParams, keyChain.encode(), receipts, items);
  }

  /// Two heads that contradict each other. For heads of two sizes the log is needed, which must be
  /// the one that the larger head is about.
  ///
  /// @param one a head statement, or a receipt file
  public ForkEvidence fork(Bytes one, Bytes other, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    Bytes first = statement(one, keys, signatures);
    Bytes second = statement(other, keys, signatures);
    long a = HeadStatement.verify(first, strand, keys, signatures).size().value();
    long b = HeadStatement.verify(second, strand, keys, signatures).size().value();
    if (a == b) {
      return new ForkEvidence(first, second, Optional.empty());
    }
    EvidenceLog copy = needLog();
    checkReaches(copy, Math.max(a, b));
    ConsistencyProof proof = copy.consistency(Math.min(a, b), Math.max(a, b));
    return new ForkEvidence(first, second, Optional.of(proof));
  }

  private Bytes statement(Bytes head, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    ReceiptFile file;
    try {
      file = ReceiptFile.decode(head);
    } catch (MalformedException _) {
      return head;
    }
    SignedHead signed = file.verify(strand, keys, signatures);
    return signed.evidence().encoded();
  }

  private EvidenceLog needLog() throws ProofRejectedException {
    return log.orElseThrow(
        () -> new ProofRejectedException(Reason.MISSING, "a copy of the log is needed for this"));
  }

  private static void checkReaches(EvidenceLog copy, long size) throws ProofRejectedException {
    if (copy.size() < size) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(Locale.ROOT, "the copy has %d leaves, want %d", copy.size(), size));
    }
  }

  private static Leaf leaf(Bytes receiptFile) throws MalformedException {
    return Leaf.decode(ReceiptFile.decode(receiptFile).leaf());
  }

  private static JournalLeaf journal(Leaf leaf) throws ProofRejectedException {
    if (leaf instanceof JournalLeaf journal) {
      return journal;
    }
    throw new ProofRejectedException(Reason.WRONG_TYPE, "leaf " + leaf.jsn() + " is no journal");
  }

  private static RequestHeader header(Leaf leaf) throws MalformedException, ProofRejectedException {
    return RequestHeader.decode(journal(leaf).header());
  }
}

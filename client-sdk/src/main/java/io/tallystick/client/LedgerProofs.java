package io.tallystick.client;

import io.tallystick.api.v1.JournalEntry;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.internal.append.SignedSubmission;
import io.tallystick.client.internal.read.LedgerReader;
import io.tallystick.client.internal.read.MemberDirectory;
import io.tallystick.client.trust.ServiceTrust;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.evidence.JournalProof;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyOpening;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.RangeSplit;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.receipt.ReceiptFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Proof files: each ties one document to its journal, complete but for the document. Thread-safe.
/// Source: `docs/formats/journal-proof.md`.
public final class LedgerProofs {
  private final TrustedLog log;
  private final LedgerReader reader;
  private final LedgerRemovals removals;
  private final DraftMaker drafts;
  private final Appender appender;
  private final List<PublicKey> keys;

  LedgerProofs(
      TrustedLog log,
      LedgerReader reader,
      LedgerRemovals removals,
      DraftMaker drafts,
      Appender appender,
      List<ClientKey> signers) {
    this.log = log;
    this.reader = reader;
    this.removals = removals;
    this.drafts = drafts;
    this.appender = appender;
    this.keys =
        signers.stream()
            .map(ClientKey::publicKey)
            .sorted(Comparator.comparing(PublicKey::kid))
            .toList();
  }

  /// As {@link LedgerHandle#append}, and makes the journal's proof, which asks the service nothing
  /// more.
  public ProvenAppend append(JournalDraft draft) throws TallyException {
    return append(List.of(draft)).getFirst();
  }

  /// As {@link LedgerHandle#appendBatch}, and makes a proof of each.
  public List<ProvenAppend> append(List<JournalDraft> batch) throws TallyException {
    SignedSubmission sent = appender.sign(drafts.append(batch));
    VerifiedBatch committed = appender.append(sent);
    try {
      List<Optional<Bytes>> places = places(sent);
      List<ProvenAppend> proven = new ArrayList<>(batch.size());
      for (int i = 0; i < batch.size(); i++) {
        SignedRequest request = sent.requests().get(i);
        VerifiedReceipt receipt = committed.receipt(i);
        JournalProof proof =
            proof(
                receipt.toFile(),
                sent.attestation(),
                places.get(i),
                keys,
                BodyOpening.of(request.salt(), request.body()));
        checked(proof, batch.get(i).payload());
        proven.add(new ProvenAppend(receipt, proof));
      }
      return List.copyOf(proven);
    } catch (ProofRejectedException | MalformedException e) {
      throw new AssertionError("a journal of ours does not prove itself", e);
    }
  }

  /// Where each request is among those that the batch's signatures sign; empty for a single one.
  private static List<Optional<Bytes>> places(SignedSubmission sent) throws ProofRejectedException {
    int count = sent.count();
    if (count == 1) {
      return List.of(Optional.empty());
    }
    List<Digest> hashes =
        sent.requests().stream().map(request -> RequestHeader.hash(request.header())).toList();
    List<Digest> leaves = hashes.stream().map(TreeHasher::leafHash).toList();
    RangeSplit whole = RangeSplit.of(new RangeProof(0, count, count, List.of()), leaves);
    List<Optional<Bytes>> places = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      places.add(Optional.of(InclusionProofBytes.encode(whole.inclusion(i))));
    }
    return places;
  }

  /// The proof of a journal that is read for it, with its body.
  ///
  /// @throws RequestRefusedException `erased` or `purged`, once it is verified that an occult or a
  ///   purge took the body: no proof can be made any more; `damaged`
  /// @throws IllegalArgumentException if the leaf is genesis or a seal
  public JournalProof of(Jsn jsn) throws TallyException {
    MemberDirectory.Shown shown = removals.withBody(jsn);
    JournalEntry entry = shown.entry();
    ReceiptFile receipt = reader.receipt(jsn);
    try {
      Bytes place = WireBytes.bytes(entry.getBatchProof());
      JournalProof proof =
          proof(
              receipt,
              WireBytes.bytes(entry.getAttestation()),
              place.isEmpty() ? Optional.empty() : Optional.of(place),
              shown.keys(),
              BodyOpening.of(WireBytes.bytes(entry.getSalt()), WireBytes.bytes(entry.getBody())));
      checked(proof, shown.journal().body().orElseThrow().payload());
      return proof;
    } catch (ProofRejectedException e) {
      throw log.refused(e);
    } catch (MalformedException e) {
      throw reader.malformed("journal " + jsn, e);
    }
  }

  private JournalProof proof(
      ReceiptFile receipt,
      Bytes attestation,
      Optional<Bytes> batchProof,
      List<PublicKey> signers,
      BodyOpening opening) {
    ServiceTrust trust = log.trust();
    boolean rotated = trust.keys().terms().size() > 1;
    return new JournalProof(
        trust.genesisBytes(),
        rotated ? Optional.of(trust.chain().encode()) : Optional.empty(),
        receipt.encode(),
        attestation,
        batchProof,
        signers,
        opening);
  }

  private void checked(JournalProof proof, Bytes payload) throws ProofRejectedException {
    var unused = proof.verify(log.trust().strand(), log.signatures(), payload);
  }

  /// Verifies a proof from anywhere, and joins its heads to the trusted log. Without the service:
  /// {@link ProofVerifier}.
  ///
  /// @throws VerificationException `COMMITMENT_MISMATCH` if it is of another document
  public JournalProof.Verified verify(JournalProof proof, Bytes document) throws TallyException {
    reader.checkAge();
    JournalProof.Verified verified;
    try {
      verified = proof.verify(log.trust().strand(), log.signatures(), document);
    } catch (ProofRejectedException e) {
      throw new VerificationException(e); // no answer of the service's, so no alarm
    }
    for (SignedHead head : verified.heads()) {
      log.join(head);
    }
    return verified;
  }
}

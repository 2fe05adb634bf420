package io.tallystick.evidence;

import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Body;
import io.tallystick.journal.Commitments;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.receipt.ReceiptFile;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Verifies one journal proof, in the order of `docs/formats/journal-proof.md`.
final class JournalProofCheck {
  private final JournalProof proof;
  private final StrandId strand;
  private final Signatures signatures;

  JournalProofCheck(JournalProof proof, StrandId strand, Signatures signatures) {
    this.proof = proof;
    this.strand = strand;
    this.signatures = signatures;
  }

  JournalProof.Verified verify(InputStream document)
      throws MalformedException, ProofRejectedException, IOException {
    KeyChain.Verified chain = chain().verify(proof.genesisParams(), strand, signatures);
    ReceiptFile file = ReceiptFile.decode(proof.receiptFile());
    List<SignedHead> heads = new ArrayList<>(chain.heads());
    heads.add(file.verify(strand, chain.keys(), signatures));
    ShownJournal journal = ShownJournal.of(file.leaf());
    List<Digest> signers = signers(journal, chain.keys());
    checkTimes(journal);
    Body body = proof.opening().body();
    checkClues(body.clues(), journal.header().clueIds());
    int payloadBytes = proof.opening().verify(journal.header(), document);
    return new JournalProof.Verified(
        journal, signers, body.contentType(), body.clues(), payloadBytes, chain.keys(), heads);
  }

  private KeyChain chain() throws MalformedException {
    if (proof.keyChain().isEmpty()) {
      return KeyChain.EMPTY;
    }
    KeyChain chain = KeyChain.decode(proof.keyChain().get());
    if (chain.entries().isEmpty()) {
      throw new MalformedException("a key chain without journals, for which nil stands");
    }
    return chain;
  }

  private List<Digest> signers(ShownJournal journal, ServiceKeys service)
      throws MalformedException, ProofRejectedException {
    Attestation attestation = JournalSigners.attestation(journal, proof.attestation());
    checkKeys(attestation);
    return new JournalSigners(strand, service, signatures)
        .verify(
            journal,
            attestation,
            proof.batchProof(),
            kid -> proof.keys().stream().filter(key -> key.kid().equals(kid)).findFirst());
  }

  /// A kid binds its key, so nobody has to vouch for it.
  private void checkKeys(Attestation attestation)
      throws MalformedException, ProofRejectedException {
    List<CoseSign1> signed = attestation.signatures();
    if (signed.size() != proof.keys().size()) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(
              Locale.ROOT, "%d keys for %d signatures", proof.keys().size(), signed.size()));
    }
    for (int i = 0; i < signed.size(); i++) {
      Digest kid = ProtectedHeader.kid(signed.get(i).protectedHeader());
      PublicKey key = proof.keys().get(i);
      if (!key.kid().equals(kid)) {
        throw new ProofRejectedException(
            Reason.WRONG_KEY,
            String.format(Locale.ROOT, "signature %d is of key %s, not %s", i, kid, key.kid()));
      }
      signatures.checkKey(key);
    }
  }

  /// What a signer said of when it may be committed.
  private static void checkTimes(ShownJournal journal) throws ProofRejectedException {
    RequestHeader header = journal.header();
    long earliest = header.clientTimeMs() - Limits.CLOCK_SKEW_MS_MAX;
    if (journal.timeMs() < earliest || journal.timeMs() > header.expiresMs()) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          String.format(
              Locale.ROOT,
              "journal %s is of %s, outside its request's %s to %s",
              journal.jsn(),
              Printable.time(journal.timeMs()),
              Printable.time(earliest),
              Printable.time(header.expiresMs())));
    }
  }

  private void checkClues(List<String> clues, List<Digest> ids) throws ProofRejectedException {
    List<Digest> actual =
        clues.stream().map(clue -> Commitments.clueId(strand.ledger(), clue)).toList();
    if (!actual.equals(ids)) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          String.format(Locale.ROOT, "the clues have the ids %s, the header says %s", actual, ids));
    }
  }
}

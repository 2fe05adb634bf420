package io.tallystick.evidence;

import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.KeyLookup;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Checks who signed one journal, alone or as one of a batch, by what is shown beside its leaf.
public final class JournalSigners {
  private final StrandId strand;
  private final ServiceKeys service;
  private final Signatures signatures;

  /// @param service its keys, of which one signs journals of the service's own
  public JournalSigners(StrandId strand, ServiceKeys service, Signatures signatures) {
    this.strand = strand;
    this.service = service;
    this.signatures = signatures;
  }

  /// The attestation to whose hash the leaf commits.
  public static Attestation attestation(ShownJournal journal, Bytes encoded)
      throws MalformedException, ProofRejectedException {
    Digest hash = Attestation.hash(encoded);
    if (!hash.equals(journal.leaf().attestHash())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          String.format(
              Locale.ROOT,
              "attestation hashes to %s, the leaf says %s",
              hash,
              journal.leaf().attestHash()));
    }
    return journal.leaf().batchCount() == 1
        ? Attestation.decode(encoded, journal.header().kind())
        : Attestation.decode(encoded);
  }

  /// @param batchProof where the requestHash is among those signed; of a member of a batch
  /// @param members whose keys count
  /// @return the kids, ascending
  public List<Digest> verify(
      ShownJournal journal, Attestation attestation, Optional<Bytes> batchProof, KeyLookup members)
      throws MalformedException, ProofRejectedException {
    if (!journal.header().strand().equals(strand)) {
      throw new ProofRejectedException(
          Reason.WRONG_LEDGER,
          String.format(
              Locale.ROOT, "a request for %s, want %s", journal.header().strand(), strand));
    }
    return journal.leaf().batchCount() == 1
        ? single(journal, attestation, batchProof, members)
        : member(journal, attestation, batchProof, members);
  }

  private List<Digest> single(
      ShownJournal journal, Attestation attestation, Optional<Bytes> batchProof, KeyLookup members)
      throws MalformedException, ProofRejectedException {
    if (batchProof.isPresent()) {
      throw new MalformedException("a batch proof of journal " + journal.jsn() + ", a single one");
    }
    // In force at a jsn is the key that judges the head which ends with it.
    PublicKey receiptKey = service.receiptKey(new TreeSize(journal.jsn().value() + 1));
    return AttestationVerifier.verify(
            strand,
            List.of(journal.header()),
            List.of(journal.requestHash()),
            attestation,
            members.withReceiptKey(receiptKey),
            signatures)
        .stream()
        .map(AttestationVerifier.Signer::kid)
        .toList();
  }

  private List<Digest> member(
      ShownJournal journal, Attestation attestation, Optional<Bytes> batchProof, KeyLookup members)
      throws MalformedException, ProofRejectedException {
    if (batchProof.isEmpty()) {
      throw new ProofRejectedException(
          Reason.MISSING, "no batch proof of journal " + journal.jsn() + ", a batch's");
    }
    InclusionProof place = InclusionProofBytes.decode(batchProof.get());
    if (place.index() != journal.leaf().batchIndex()
        || place.size() != journal.leaf().batchCount()) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          String.format(
              Locale.ROOT,
              "proof of number %d of %d, the leaf says %d of %d",
              place.index(),
              place.size(),
              journal.leaf().batchIndex(),
              journal.leaf().batchCount()));
    }
    if (journal.header().kind().governance()) {
      throw new MalformedException("kind " + journal.header().kind().code() + " in a batch");
    }
    List<Digest> kids = new ArrayList<>();
    for (CoseSign1 signature : attestation.signatures()) {
      Digest kid = ProtectedHeader.kid(signature.protectedHeader());
      PublicKey key =
          members
              .find(kid)
              .orElseThrow(() ->
                  new ProofRejectedException(Reason.NOT_A_MEMBER, "no member has key " + kid));
      InclusionProof unused =
          BatchMemberProof.verify(
              signature.withInclusionProof(batchProof.get()),
              strand,
              journal.requestHash(),
              key,
              signatures);
      kids.add(kid);
    }
    return kids;
  }
}

package io.tallystick.client.internal.read;

import io.tallystick.api.v1.JournalEntry;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisVerifier;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Checks who signed a journal that was read back. The attestation is bound by the leaf, the leaf
/// by the log.
final class SignerCheck {
  private final TrustedLog log;
  private final VerifiedBatches batches = new VerifiedBatches();

  SignerCheck(TrustedLog log) {
    this.log = log;
  }

  /// @return the kids of the good signatures, ascending; of a time journal that of the receipt key
  List<Digest> verify(Leaf leaf, JournalEntry entry, KeyLookup keys)
      throws ProofRejectedException, MalformedException {
    Bytes encoded = WireBytes.bytes(entry.getAttestation());
    return switch (leaf) {
      case SealLeaf unused -> List.of();
      case GenesisLeaf genesis -> {
        checkHash(encoded, genesis.attestHash());
        yield genesis(genesis, Attestation.decode(encoded));
      }
      case JournalLeaf journal -> {
        checkHash(encoded, journal.attestHash());
        yield journal.batchCount() == 1
            ? single(journal, Attestation.decode(encoded), keys)
            : member(journal, encoded, entry, keys);
      }
    };
  }

  private static void checkHash(Bytes encoded, Digest want) throws ProofRejectedException {
    Digest actual = Attestation.hash(encoded);
    if (!actual.equals(want)) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          "attestation hashes to " + actual + ", the leaf says " + want);
    }
  }

  private List<Digest> genesis(GenesisLeaf leaf, Attestation attestation)
      throws ProofRejectedException {
    if (!leaf.genesisParams().equals(log.trust().genesisBytes())) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH, "the genesis leaf holds other parameters than the pinned");
    }
    return GenesisVerifier.verify(leaf.genesisParams(), attestation, log.signatures())
        .owners()
        .stream()
        .map(PublicKey::kid)
        .toList();
  }

  private List<Digest> single(JournalLeaf leaf, Attestation attestation, KeyLookup keys)
      throws ProofRejectedException, MalformedException {
    PublicKey receiptKey =
        log.trust().keys().receiptKey(new TreeSize(leaf.jsn().value() + 1)); // in force there
    return AttestationVerifier.verify(
            log.trust().strand(),
            List.of(RequestHeader.decode(leaf.header())),
            List.of(RequestHeader.hash(leaf.header())),
            attestation,
            keys.withReceiptKey(receiptKey),
            log.signatures())
        .stream()
        .map(AttestationVerifier.Signer::kid)
        .toList();
  }

  private List<Digest> member(
      JournalLeaf leaf, Bytes attestation, JournalEntry entry, KeyLookup keys)
      throws ProofRejectedException, MalformedException {
    Bytes encodedProof = WireBytes.bytes(entry.getBatchProof());
    InclusionProof proof = InclusionProofBytes.decode(encodedProof);
    if (proof.index() != leaf.batchIndex() || proof.size() != leaf.batchCount()) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          String.format(
              Locale.ROOT,
              "proof of number %d of %d, the leaf says %d of %d",
              proof.index(),
              proof.size(),
              leaf.batchIndex(),
              leaf.batchCount()));
    }
    if (RequestHeader.decode(leaf.header()).kind().governance()) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "a change of members or parameters in a batch");
    }
    Digest requestHash = RequestHeader.hash(leaf.header());
    Digest root = proof.rootFrom(TreeHasher.leafHash(requestHash));
    VerifiedBatches.Batch known = batches.find(leaf.attestHash());
    if (known != null && known.count() == proof.size() && known.root().equals(root)) {
      for (PublicKey signer : known.signers()) {
        key(signer.kid(), keys);
      }
      return known.kids();
    }
    List<PublicKey> signers = new ArrayList<>();
    for (CoseSign1 signature : Attestation.decode(attestation).signatures()) {
      PublicKey key = key(ProtectedHeader.kid(signature.protectedHeader()), keys);
      BatchMemberProof.verify(
          signature.withInclusionProof(encodedProof),
          log.trust().strand(),
          requestHash,
          key,
          log.signatures());
      signers.add(key);
    }
    VerifiedBatches.Batch batch = new VerifiedBatches.Batch(root, leaf.batchCount(), signers);
    batches.add(leaf.attestHash(), batch);
    return batch.kids();
  }

  /// A kid is the hash of its key, so there is one key only that can be found.
  private static PublicKey key(Digest kid, KeyLookup keys) throws ProofRejectedException {
    return keys.find(kid)
        .orElseThrow(
            () -> new ProofRejectedException(Reason.NOT_A_MEMBER, "no member has key " + kid));
  }
}

package io.tallystick.client;

import io.tallystick.api.v1.JournalEntry;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.client.wire.WireBytes;
import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ProtectedHeader;
import io.tallystick.crypto.PublicKey;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.AttestationVerifier;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.GenesisVerifier;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.KeyLookup;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;

/// Checks who signed a journal that was read back. The attestation is bound by the leaf, the leaf
/// by the log.
final class SignerCheck {
  private final TrustedLog log;

  SignerCheck(TrustedLog log) {
    this.log = log;
  }

  /// @return the kids of the good signatures, ascending
  List<Digest> verify(Leaf leaf, JournalEntry entry, KeyLookup keys)
      throws ProofRejectedException, MalformedException {
    Bytes encoded = WireBytes.bytes(entry.getAttestation());
    return switch (leaf) {
      case SealLeaf _ -> List.of();
      case GenesisLeaf genesis -> genesis(genesis, attestation(encoded, genesis.attestHash()));
      case JournalLeaf journal -> {
        Attestation attestation = attestation(encoded, journal.attestHash());
        yield journal.batchCount() == 1
            ? single(journal, attestation, keys)
            : member(journal, attestation, entry, keys);
      }
    };
  }

  private static Attestation attestation(Bytes encoded, Digest want)
      throws ProofRejectedException, MalformedException {
    Digest actual = Attestation.hash(encoded);
    if (!actual.equals(want)) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          "attestation hashes to " + actual + ", the leaf says " + want);
    }
    return Attestation.decode(encoded);
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
    return AttestationVerifier.verify(
            log.trust().strand(),
            List.of(RequestHeader.decode(leaf.header())),
            List.of(RequestHeader.hash(leaf.header())),
            attestation,
            keys,
            log.signatures())
        .stream()
        .map(AttestationVerifier.Signer::kid)
        .toList();
  }

  private List<Digest> member(
      JournalLeaf leaf, Attestation attestation, JournalEntry entry, KeyLookup keys)
      throws ProofRejectedException, MalformedException {
    Digest requestHash = RequestHeader.hash(leaf.header());
    List<Digest> hashes =
        WireBytes.digests("batch", entry.getBatchRequestHashesList(), Limits.BATCH_COUNT_MAX);
    if (hashes.size() != leaf.batchCount() || !hashes.get(leaf.batchIndex()).equals(requestHash)) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH,
          "request is not number %d of the batch of %d shown (%d hashes)"
              .formatted(leaf.batchIndex(), leaf.batchCount(), hashes.size()));
    }
    StrandId strand = log.trust().strand();
    List<Digest> kids = new ArrayList<>();
    for (CoseSign1 signature : attestation.signatures()) {
      Digest kid = ProtectedHeader.kid(signature.protectedHeader());
      PublicKey key =
          keys.find(kid)
              .orElseThrow(() ->
                  new ProofRejectedException(Reason.NOT_A_MEMBER, "no member has key " + kid));
      CoseSign1 proof = BatchMemberProof.of(signature, leaf.batchIndex(), hashes);
      InclusionProof at =
          BatchMemberProof.verify(proof, strand, requestHash, key, log.signatures());
      if (at.index() != leaf.batchIndex() || at.size() != leaf.batchCount()) {
        throw new ProofRejectedException(
            Reason.LEAF_MISMATCH,
            "signed as number %d of %d, the leaf says %d of %d"
                .formatted(at.index(), at.size(), leaf.batchIndex(), leaf.batchCount()));
      }
      kids.add(kid);
    }
    return List.copyOf(kids);
  }
}

package io.tallystick.cose;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.merkle.BatchRoot;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// A batch member's own proof of its signer: the batch's signature with the inclusion of the
/// requestHash. It is derived on demand and never stored; it is checked without the other members.
public final class BatchMemberProof {
  private BatchMemberProof() {}

  /// @param batchSignature one of the batch's attestation, as stored
  /// @param index 0-based position of the member
  /// @param requestHashes of the whole batch, in order
  public static CoseSign1 of(CoseSign1 batchSignature, int index, List<Digest> requestHashes) {
    return batchSignature.withInclusionProof(
        InclusionProofBytes.encode(
            new InclusionProof(index, requestHashes.size(), path(index, requestHashes))));
  }

  private static List<Digest> path(int index, List<Digest> requestHashes) {
    int position = Objects.checkIndex(index, requestHashes.size());
    List<Digest> level = requestHashes.stream().map(TreeHasher::leafHash).toList();
    List<Digest> path = new ArrayList<>();
    while (level.size() > 1) {
      int sibling = position ^ 1;
      if (sibling < level.size()) {
        path.add(level.get(sibling));
      }
      level = parents(level);
      position >>= 1;
    }
    return path;
  }

  private static List<Digest> parents(List<Digest> level) {
    List<Digest> parents = new ArrayList<>((level.size() + 1) / 2);
    for (int i = 0; i + 1 < level.size(); i += 2) {
      parents.add(TreeHasher.nodeHash(level.get(i), level.get(i + 1)));
    }
    if (level.size() % 2 == 1) {
      parents.add(level.getLast());
    }
    return parents;
  }

  /// Checks that `key` signed a batch that holds `requestHash`.
  ///
  /// @return where in which batch; to be compared with the leaf's batchIndex and batchCount
  public static InclusionProof verify(
      CoseSign1 proof, StrandId strand, Digest requestHash, PublicKey key, Signatures signatures)
      throws ProofRejectedException {
    BatchProtected header = ProtectedHeader.decode(proof.protectedHeader(), BatchProtected.class);
    if (!header.strand().equals(strand)) {
      throw new ProofRejectedException(
          Reason.WRONG_LEDGER, "signature is for " + header.strand() + ", want " + strand);
    }
    if (proof.payload() != null) {
      throw new ProofRejectedException(Reason.MALFORMED, "payload is attached, want it detached");
    }
    InclusionProof inclusion = InclusionProofBytes.of(proof);
    if (inclusion.size() != header.count()) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          "proof in a tree of " + inclusion.size() + ", signed for " + header.count());
    }
    BatchRoot root = new BatchRoot(inclusion.rootFrom(TreeHasher.leafHash(requestHash)));
    proof.verify(header, root.digest().toBytes(), key, signatures);
    return inclusion;
  }
}

package io.tallystick.receipt;

import io.tallystick.cbor.CborReader;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;

/// Shows that a leaf is in a log whose head the service signed: a COSE receipt (RFC 9942), which
/// foreign verifiers read. Its proof is unverified until {@link #verify} accepts it.
public record Receipt(HeadSignature head, InclusionProof proof) {

  public Bytes encode() {
    return message().encode();
  }

  CoseSign1 message() {
    return head.receipt(InclusionProofBytes.encode(proof));
  }

  public static Receipt decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    Receipt receipt = decode(in);
    in.end();
    return receipt;
  }

  static Receipt decode(CborReader in) throws MalformedException {
    CoseSign1 message = CoseSign1.decode(in);
    if (message.payload() != null) {
      throw new MalformedException("receipt with an attached payload");
    }
    Bytes proof = message.inclusionProof();
    if (proof == null) {
      throw new MalformedException("receipt without an inclusion proof");
    }
    return new Receipt(
        new HeadSignature(message.protectedHeader(), message.signature()),
        InclusionProofBytes.decode(proof));
  }

  /// Checks everything a receipt claims about `leaf`. The size in the proof is not signed, so it
  /// must be the signed one; the index is not hashed, so it must be the leaf's own jsn.
  ///
  /// @return the signed head; whether it is accepted is {@link io.tallystick.head.TrustRule}'s
  public SignedHead verify(Bytes leaf, StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    long signedSize = head.header().treeSize().value();
    if (proof.size() != signedSize) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE, "proof in a tree of " + proof.size() + ", signed is " + signedSize);
    }
    LeafPosition.check(leaf, proof.index());
    JournalRoot root = new JournalRoot(proof.rootFrom(TreeHasher.leafHash(leaf)));
    return head.verify(root, strand, keys, signatures);
  }

  /// The claim of the receipt, verified or not.
  @Override
  public String toString() {
    return "Receipt[jsn " + proof.index() + " among " + proof.size() + " leaves]";
  }
}

package io.tallystick.receipt;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.ReceiptProtected;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Shows that a run of leaves is in a log whose head the service signed: `[8, firstJsn, count,
/// treeSize, [roots…], protected bstr, signature]`. The leaves travel beside it or are rebuilt.
/// Verifying costs one leaf hash and one node hash per journal and one signature. Source:
/// `docs/formats/receipt.md`.
public record RangeReceipt(HeadSignature head, RangeProof proof) {
  private static final int TYPE = 8;
  private static final int ITEMS = 7;

  public Bytes encode() {
    CborWriter out = new CborWriter(512 + proof.roots().size() * 34);
    out.array(ITEMS).uint(TYPE).uint(proof.first()).uint(proof.count()).uint(proof.treeSize());
    out.array(proof.roots().size());
    proof.roots().forEach(out::digest);
    return out.bytes(head.protectedHeader()).bytes(head.signature()).toBytes();
  }

  public static RangeReceipt decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("range receipt", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no range receipt, want " + TYPE);
    }
    long first = in.uint();
    int count = (int) in.uint("count", RangeProof.COUNT_MAX);
    long treeSize = in.uint();
    List<Digest> roots = roots(in);
    Bytes protectedHeader = Bytes.wrap(in.bytes("protected header", CoseSign1.PROTECTED_BYTES_MAX));
    Bytes signature = Bytes.wrap(in.bytes("signature", CoseSign1.SIGNATURE_BYTES));
    in.end();
    if (signature.size() != CoseSign1.SIGNATURE_BYTES) {
      throw new MalformedException(
          "signature of " + signature.size() + " bytes, want " + CoseSign1.SIGNATURE_BYTES);
    }
    return new RangeReceipt(
        new HeadSignature(protectedHeader, signature),
        new RangeProof(first, count, treeSize, roots));
  }

  private static List<Digest> roots(CborReader in) throws MalformedException {
    int count = in.arrayAtMost("roots", RangeProof.ROOTS_MAX);
    List<Digest> roots = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      roots.add(in.digest());
    }
    return roots;
  }

  /// Checks everything the receipt claims about `leaves`, the whole range in jsn order.
  ///
  /// @return the signed head; whether it is accepted is {@link io.tallystick.head.TrustRule}'s
  public SignedHead verify(
      List<Bytes> leaves, StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    checkSize();
    return verifyHashes(hashes(leaves), strand, keys, signatures);
  }

  /// The same for leaf hashes; the caller vouches that leaf `i` says jsn `first + i`.
  public SignedHead verifyHashes(
      List<Digest> leafHashes, StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    ReceiptProtected header = checkSize();
    JournalRoot root = new JournalRoot(proof.rootFrom(leafHashes));
    return head.verify(header, root, strand, keys, signatures);
  }

  /// The standard single receipts of all leaves of the range, in jsn order, made offline. Each one
  /// verifies exactly if this range receipt does.
  public List<Receipt> split(List<Bytes> leaves) throws ProofRejectedException {
    checkSize();
    List<InclusionProof> proofs = proof.split(hashes(leaves));
    List<Receipt> receipts = new ArrayList<>(proofs.size());
    for (InclusionProof single : proofs) {
      receipts.add(new Receipt(head, single));
    }
    return receipts;
  }

  private ReceiptProtected checkSize() throws ProofRejectedException {
    ReceiptProtected header = head.header();
    long signedSize = header.treeSize().value();
    if (proof.treeSize() != signedSize) {
      throw new ProofRejectedException(
          Reason.WRONG_SIZE,
          "range in a tree of " + proof.treeSize() + ", signed is " + signedSize);
    }
    return header;
  }

  private List<Digest> hashes(List<Bytes> leaves) throws ProofRejectedException {
    List<Digest> hashes = new ArrayList<>(leaves.size());
    for (Bytes leaf : leaves) {
      LeafPosition.check(leaf, proof.first() + hashes.size());
      hashes.add(TreeHasher.leafHash(leaf));
    }
    return hashes;
  }

  /// The claim of the receipt, verified or not.
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "RangeReceipt[%d journals from jsn %d on among %d leaves]",
        proof.count(),
        proof.first(),
        proof.treeSize());
  }
}

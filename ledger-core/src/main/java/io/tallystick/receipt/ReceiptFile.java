package io.tallystick.receipt;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;

/// A receipt saved with its leaf, complete in itself: `[9, leaf bstr, receipt]`.
public record ReceiptFile(Bytes leaf, Receipt receipt) {
  private static final int TYPE = 9;

  public Bytes encode() {
    CborWriter out = new CborWriter(1024).array(3).uint(TYPE).bytes(leaf);
    receipt.message().encodeInto(out);
    return out.toBytes();
  }

  public static ReceiptFile decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("receipt file", 3);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no receipt file, want " + TYPE);
    }
    Bytes leaf = Bytes.wrap(in.bytes("leaf", LeafPosition.LEAF_BYTES_MAX));
    Receipt receipt = Receipt.decode(in);
    in.end();
    return new ReceiptFile(leaf, receipt);
  }

  public SignedHead verify(StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    return receipt.verify(leaf, strand, keys, signatures);
  }

  /// The claim of the receipt, verified or not.
  @Override
  public String toString() {
    return "ReceiptFile[" + receipt + ", leaf hash " + TreeHasher.leafHash(leaf) + "]";
  }
}

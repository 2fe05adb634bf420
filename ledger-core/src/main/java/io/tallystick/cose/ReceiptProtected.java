package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;

/// The signature of the service's receipt key over a tree head (RFC 9942); the detached payload is
/// the root. The tree size is signed, or one receipt would pass for several sizes.
///
/// @param kid of an Ed25519 key: receipts are signed with nothing else
public record ReceiptProtected(Digest kid, Authority authority, StrandId strand, TreeSize treeSize)
    implements ProtectedHeader {
  private static final int LABELS = 6;

  @Override
  public String typ() {
    return RECEIPT_TYP;
  }

  @Override
  public SignatureAlgorithm algorithm() {
    return SignatureAlgorithm.ED25519;
  }

  @Override
  public Bytes encode() {
    CborWriter out =
        ProtectedHeader.begin(LABELS, algorithm(), kid)
            .integer(Labels.CWT_CLAIMS)
            .map(2)
            .integer(1)
            .text(authority.value())
            .integer(2)
            .text(authority.origin(strand))
            .integer(Labels.TYP)
            .text(RECEIPT_TYP)
            .integer(Labels.VDS)
            .integer(Labels.RFC9162_SHA256);
    return Labels.writeStrand(out, Labels.TREE_HEAD, 4, strand).uint(treeSize.value()).toBytes();
  }

  static ReceiptProtected decode(Labels.Opening opening, CborReader in) throws MalformedException {
    if (opening.demand(LABELS, true) != SignatureAlgorithm.ED25519) {
      throw new MalformedException("receipt with alg " + opening.alg() + ", want -8");
    }
    Authority authority = Authority.parse(opening.issuer());
    Labels.constant(in, Labels.VDS, Labels.RFC9162_SHA256);
    StrandId strand = Labels.readStrand(in, Labels.TREE_HEAD, 4);
    if (!opening.subject().equals(authority.origin(strand))) {
      throw new MalformedException(
          "receipt's subject is not its origin " + authority.origin(strand));
    }
    return new ReceiptProtected(opening.kid(), authority, strand, new TreeSize(in.uint()));
  }
}

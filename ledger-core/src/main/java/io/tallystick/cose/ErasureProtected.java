package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;

/// The service's signature that what a removal names is erased, bound to ledger and strand; the
/// payload is the statement, attached.
public record ErasureProtected(SignatureAlgorithm algorithm, Digest kid, StrandId strand)
    implements ProtectedHeader {
  private static final int LABELS = 4;

  @Override
  public String typ() {
    return ERASURE_TYP;
  }

  @Override
  public Bytes encode() {
    return Labels.writeStrand(
            ProtectedHeader.begin(LABELS, algorithm, kid).integer(Labels.TYP).text(ERASURE_TYP),
            Labels.CONTEXT,
            3,
            strand)
        .toBytes();
  }

  static ErasureProtected decode(Labels.Opening opening, CborReader in) throws MalformedException {
    SignatureAlgorithm algorithm = opening.demand(LABELS, false);
    return new ErasureProtected(algorithm, opening.kid(), Labels.readStrand(in, Labels.CONTEXT, 3));
  }
}

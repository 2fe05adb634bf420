package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;

/// The signature of a member over one request: a hash envelope (RFC 9995) whose payload is the
/// requestHash, bound to ledger and strand.
public record RequestProtected(SignatureAlgorithm algorithm, Digest kid, StrandId strand)
    implements ProtectedHeader {

  @Override
  public String typ() {
    return REQUEST_TYP;
  }

  @Override
  public Bytes encode() {
    return HashEnvelope.encode(this, strand);
  }

  static RequestProtected decode(Labels.Opening opening, CborReader in) throws MalformedException {
    SignatureAlgorithm algorithm = opening.demand(HashEnvelope.LABELS, false);
    return new RequestProtected(algorithm, opening.kid(), HashEnvelope.decode(in));
  }
}

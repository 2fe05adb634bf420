package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;

/// The signature of the service's receipt key over a request of its own (key rotation, time). Like
/// a {@link RequestProtected} but for its typ, so that neither can pass for the other.
public record ServiceRequestProtected(SignatureAlgorithm algorithm, Digest kid, StrandId strand)
    implements ProtectedHeader {

  @Override
  public String typ() {
    return SERVICE_REQUEST_TYP;
  }

  @Override
  public Bytes encode() {
    return HashEnvelope.encode(this, strand);
  }

  static ServiceRequestProtected decode(Labels.Opening opening, CborReader in)
      throws MalformedException {
    SignatureAlgorithm algorithm = opening.demand(HashEnvelope.LABELS, false);
    return new ServiceRequestProtected(algorithm, opening.kid(), HashEnvelope.decode(in));
  }
}

package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;

/// The labels of a hash envelope (RFC 9995) over a RequestHeader, behind typ.
final class HashEnvelope {
  static final int LABELS = 6;
  static final String HEADER_TYPE = "application/vnd.tallystick.request-header+cbor";

  private HashEnvelope() {}

  static Bytes encode(ProtectedHeader header, StrandId strand) {
    CborWriter out =
        ProtectedHeader.begin(LABELS, header.algorithm(), header.kid())
            .integer(Labels.TYP)
            .text(header.typ())
            .integer(Labels.PAYLOAD_HASH_ALG)
            .integer(Labels.SHA_256)
            .integer(Labels.PREIMAGE_CONTENT_TYPE)
            .text(HEADER_TYPE);
    return Labels.writeStrand(out, Labels.CONTEXT, 3, strand).toBytes();
  }

  static StrandId decode(CborReader in) throws MalformedException {
    Labels.constant(in, Labels.PAYLOAD_HASH_ALG, Labels.SHA_256);
    in.key(Labels.PREIMAGE_CONTENT_TYPE);
    String type = in.text();
    if (!type.equals(HEADER_TYPE)) {
      throw new MalformedException("preimage content type is not " + HEADER_TYPE);
    }
    return Labels.readStrand(in, Labels.CONTEXT, 3);
  }
}

package io.tallystick.cose;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;

/// The protected header of one of the seven kinds of signature. Each kind has exactly its own
/// labels; one more or one less is refused, `crit` included. Nothing decides by the key which kind
/// it is: typ (RFC 9596) does, and it is read first.
public sealed interface ProtectedHeader
    permits RequestProtected,
        ServiceRequestProtected,
        BatchProtected,
        GenesisProtected,
        ReceiptProtected,
        AnchorProtected,
        ErasureProtected {
  String REQUEST_TYP = "application/vnd.tallystick.request+cose";
  String SERVICE_REQUEST_TYP = "application/vnd.tallystick.service-request+cose";
  String BATCH_TYP = "application/vnd.tallystick.batch+cose";
  String GENESIS_TYP = "application/vnd.tallystick.genesis+cose";
  String RECEIPT_TYP = "application/vnd.tallystick.receipt+cose";

  String ANCHOR_TYP = "application/vnd.tallystick.anchor+cose";
  String ERASURE_TYP = "application/vnd.tallystick.erasure+cose";

  /// One of the `_TYP` constants.
  String typ();

  SignatureAlgorithm algorithm();

  /// SHA-256 of the signer's SPKI.
  Digest kid();

  /// The deterministic CBOR map that is signed.
  Bytes encode();

  /// Decodes a header of any known typ.
  ///
  /// @throws MalformedException also for an unknown typ; {@link #typ(Bytes)} tells the two apart
  static ProtectedHeader decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    return decode(Labels.open(in), in);
  }

  private static ProtectedHeader decode(Labels.Opening opening, CborReader in)
      throws MalformedException {
    ProtectedHeader header =
        switch (opening.typ()) {
          case REQUEST_TYP -> RequestProtected.decode(opening, in);
          case SERVICE_REQUEST_TYP -> ServiceRequestProtected.decode(opening, in);
          case BATCH_TYP -> BatchProtected.decode(opening, in);
          case GENESIS_TYP -> GenesisProtected.decode(opening);
          case RECEIPT_TYP -> ReceiptProtected.decode(opening, in);
          case ANCHOR_TYP -> AnchorProtected.decode(opening, in);
          case ERASURE_TYP -> ErasureProtected.decode(opening, in);
          default -> throw new MalformedException("unknown typ \"" + opening.typ() + '"');
        };
    in.end();
    return header;
  }

  /// The typ a header claims, known or not; nothing behind it is looked at.
  static String typ(Bytes encoded) throws MalformedException {
    return Labels.open(new CborReader(encoded)).typ();
  }

  /// Decodes a header that must be of one certain typ; nothing behind typ is looked at before.
  ///
  /// @throws ProofRejectedException with `WRONG_TYPE`, also for an unknown typ, or `MALFORMED`
  static <T extends ProtectedHeader> T decode(Bytes encoded, Class<T> want)
      throws ProofRejectedException {
    try {
      CborReader in = new CborReader(encoded);
      Labels.Opening opening = Labels.open(in);
      String typ = opening.typ();
      String wantTyp = Labels.typ(want);
      if (!typ.equals(wantTyp)) {
        throw new ProofRejectedException(
            Reason.WRONG_TYPE, "typ is \"" + typ + "\", want \"" + wantTyp + '"');
      }
      return want.cast(decode(opening, in));
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "protected header: " + e.getMessage(), e);
    }
  }

  /// The kid a header claims, whatever its typ; for ordering, never for trusting.
  public static Digest kid(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.map();
    Labels.readAlg(in);
    return Labels.readKid(in);
  }

  /// Starts a map of `labels` pairs with alg and kid, which every typ begins with.
  static CborWriter begin(int labels, SignatureAlgorithm algorithm, Digest kid) {
    return new CborWriter(256)
        .map(labels)
        .integer(Labels.ALG)
        .integer(algorithm.coseAlg())
        .integer(Labels.KID)
        .digest(kid);
  }
}

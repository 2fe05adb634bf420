package io.tallystick.lineage;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.Optional;

/// A clue or lineage proof with its signed head; a verifier needs only the service's public keys
/// beside it: `[13, clueId, head bstr, proof bstr]`. Source: `docs/formats/lineage.md`.
///
/// @param head the signed statement of the head, as {@link HeadStatement} reads it
/// @param proof an encoded {@link ClueProof} or {@link LineageProof}
public record LineageFile(Digest clueId, Bytes head, Bytes proof) {
  private static final int TYPE = 13;
  private static final int ITEMS = 4;

  /// The content of a verified file.
  ///
  /// @param head to be believed by the rule of trust
  /// @param lineage present if the file holds journals
  public record Verified(SignedHead head, ClueState state, Optional<VerifiedLineage> lineage) {}

  public static LineageFile of(Digest clueId, SignedHead head, ClueProof proof) {
    return new LineageFile(clueId, head.evidence().encoded(), proof.encode());
  }

  public static LineageFile of(Digest clueId, SignedHead head, LineageProof proof) {
    return new LineageFile(clueId, head.evidence().encoded(), proof.encode());
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(64 + head.size() + proof.size());
    return out.array(ITEMS).uint(TYPE).digest(clueId).bytes(head).bytes(proof).toBytes();
  }

  public static LineageFile decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("lineage file", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no lineage file, want " + TYPE);
    }
    Digest clueId = in.digest();
    Bytes head = Bytes.wrap(in.bytes("head", HeadStatement.BYTES_MAX));
    Bytes proof = Bytes.wrap(in.bytes());
    in.end();
    return new LineageFile(clueId, head, proof);
  }

  public Verified verify(StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    SignedHead signed = HeadStatement.verify(head, strand, keys, signatures);
    try {
      if (ClueProof.isOne(proof)) {
        ClueState state = ClueProof.decode(proof).verify(clueId, signed);
        return new Verified(signed, state, Optional.empty());
      }
      VerifiedLineage lineage = LineageProof.decode(proof).verify(clueId, signed);
      return new Verified(signed, lineage.state(), Optional.of(lineage));
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "proof: " + e.getMessage(), e);
    }
  }
}

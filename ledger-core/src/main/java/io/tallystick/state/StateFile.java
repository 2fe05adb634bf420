package io.tallystick.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Limits;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A lookup proof with its signed head, and the value if the key has one; a verifier needs only the
/// service's public keys beside it: `[32, head bstr, proof bstr, value bstr|nil]`. Source:
/// `docs/formats/forest.md`.
///
/// @param head the signed statement of the head, as {@link HeadStatement} reads it
/// @param proof an encoded {@link LookupProof}
/// @param value an encoded {@link StateValue}; empty if the key has none, or if it is not shown
public record StateFile(Bytes head, Bytes proof, Optional<Bytes> value) {
  /// The longest encoding.
  public static final int BYTES_MAX =
      HeadStatement.BYTES_MAX + LookupProof.BYTES_MAX + Limits.REQUEST_BYTES_MAX + 1024;

  private static final int TYPE = 32;
  private static final int ITEMS = 4;

  /// The longest encoding of a value.
  private static final int VALUE_BYTES_MAX = Limits.REQUEST_BYTES_MAX + 64;

  /// The content of a verified file.
  ///
  /// @param head to be believed by the rule of trust
  /// @param seal of the block whose state it is
  /// @param answer of the key that the file itself names; the reader compares it with the key in
  ///   question
  /// @param value present if the file holds it
  public record Verified(
      SignedHead head, SealLeaf seal, StateAnswer answer, Optional<Bytes> value) {
    public long height() {
      return seal.height();
    }
  }

  public static StateFile of(SignedHead head, LookupProof proof, Optional<StateValue> value) {
    return new StateFile(head.evidence().encoded(), proof.encode(), value.map(StateValue::encode));
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(64 + head.size() + proof.size());
    out.array(ITEMS).uint(TYPE).bytes(head).bytes(proof);
    value.ifPresentOrElse(out::bytes, out::nil);
    return out.toBytes();
  }

  public static StateFile decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("state file", ITEMS);
    SealBytes.checkType(in, TYPE);
    Bytes head = Bytes.wrap(in.bytes("head", HeadStatement.BYTES_MAX));
    Bytes proof = Bytes.wrap(in.bytes("proof", LookupProof.BYTES_MAX));
    Optional<Bytes> value = decodeValue(in);
    in.end();
    return new StateFile(head, proof, value);
  }

  public Verified verify(StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    SignedHead signed = HeadStatement.verify(head, strand, keys, signatures);
    try {
      LookupProof lookup = LookupProof.decode(proof);
      StateAnswer answer = lookup.verify(lookup.key(), signed);
      return new Verified(signed, lookup.seal().verify(signed), answer, opened(answer, value));
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "state file: " + e.getMessage(), e);
    }
  }

  /// The values of a file of several keys.
  static List<Optional<Bytes>> decodeValues(CborReader in, int max) throws MalformedException {
    int count = in.arrayAtMost("values", max);
    List<Optional<Bytes>> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      values.add(decodeValue(in));
    }
    return values;
  }

  private static Optional<Bytes> decodeValue(CborReader in) throws MalformedException {
    return in.nil()
        ? Optional.empty()
        : Optional.of(Bytes.wrap(in.bytes("value", VALUE_BYTES_MAX)));
  }

  /// @param encoded a {@link StateValue}; empty if it is not shown
  /// @return the value of the key, if it is the one that the answer commits to
  static Optional<Bytes> opened(StateAnswer answer, Optional<Bytes> encoded)
      throws MalformedException, ProofRejectedException {
    if (encoded.isEmpty()) {
      return Optional.empty();
    }
    StateValue opened = StateValue.decode(encoded.get());
    if (!(answer instanceof StateAnswer.Present present)) {
      throw new ProofRejectedException(
          Reason.COMMITMENT_MISMATCH,
          "a value of key " + Printable.name(answer.key()) + ", which has none");
    }
    opened.verify(present.entry());
    return Optional.of(opened.value());
  }
}

package io.tallystick.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The proof of several keys with its signed head, and the values of the keys; a verifier needs
/// only the service's public keys beside it: `[34, head bstr, proof bstr, [value bstr|nil …]]`.
/// Source: `docs/formats/forest.md`.
///
/// @param head the signed statement of the head, as {@link HeadStatement} reads it
/// @param proof an encoded {@link LookupsProof}
/// @param values one for each key of the proof, in order: an encoded {@link StateValue}; empty if
///   the key has none, or if it is not shown
public record LookupFile(Bytes head, Bytes proof, List<Optional<Bytes>> values) {
  /// The longest encoding.
  public static final int BYTES_MAX = 16 * 1024 * 1024;

  private static final int TYPE = 34;
  private static final int ITEMS = 4;

  public LookupFile {
    values = List.copyOf(values);
  }

  /// A key that the file is about.
  ///
  /// @param value present if the file holds it
  public record Item(StateAnswer answer, Optional<Bytes> value) {}

  /// The content of a verified file.
  ///
  /// @param head to be believed by the rule of trust
  /// @param seal of the block whose state it is
  /// @param items all keys that the file itself names, in order; the reader compares them with the
  ///   keys in question
  public record Verified(SignedHead head, SealLeaf seal, List<Item> items) {
    public Verified {
      items = List.copyOf(items);
    }

    public long height() {
      return seal.height();
    }
  }

  /// @param values one for each key of the proof, in order
  public static LookupFile of(
      SignedHead head, LookupsProof proof, List<Optional<StateValue>> values) {
    return new LookupFile(
        head.evidence().encoded(),
        proof.encode(),
        values.stream().map(value -> value.map(StateValue::encode)).toList());
  }

  /// Whether it is a file of several keys by its type.
  public static boolean isOne(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array();
    return in.uint() == TYPE;
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(64 + head.size() + proof.size());
    out.array(ITEMS).uint(TYPE).bytes(head).bytes(proof).array(values.size());
    values.forEach(value -> value.ifPresentOrElse(out::bytes, out::nil));
    return out.toBytes();
  }

  public static LookupFile decode(Bytes encoded) throws MalformedException {
    if (encoded.size() > BYTES_MAX) {
      throw new MalformedException("file of " + encoded.size() + " bytes, at most " + BYTES_MAX);
    }
    CborReader in = new CborReader(encoded);
    in.array("file of several keys", ITEMS);
    SealBytes.checkType(in, TYPE);
    Bytes head = Bytes.wrap(in.bytes("head", HeadStatement.BYTES_MAX));
    Bytes proof = Bytes.wrap(in.bytes("proof", LookupsProof.BYTES_MAX));
    List<Optional<Bytes>> values = StateFile.decodeValues(in, StateLookups.KEYS_MAX);
    in.end();
    return new LookupFile(head, proof, values);
  }

  public Verified verify(StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    SignedHead signed = HeadStatement.verify(head, strand, keys, signatures);
    try {
      LookupsProof lookups = LookupsProof.decode(proof);
      List<StateAnswer> answers = lookups.verify(lookups.keys(), signed);
      return new Verified(signed, lookups.seal().verify(signed), items(answers));
    } catch (MalformedException e) {
      throw new ProofRejectedException(
          Reason.MALFORMED, "file of several keys: " + e.getMessage(), e);
    }
  }

  private List<Item> items(List<StateAnswer> answers)
      throws MalformedException, ProofRejectedException {
    if (answers.size() != values.size()) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(Locale.ROOT, "%d values of %d keys", values.size(), answers.size()));
    }
    List<Item> items = new ArrayList<>(answers.size());
    for (StateAnswer answer : answers) {
      items.add(new Item(answer, StateFile.opened(answer, values.get(items.size()))));
    }
    return items;
  }
}

package io.tallystick.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A range proof with its signed head, and the values of its keys; a verifier needs only the
/// service's public keys beside it: `[36, head bstr, proof bstr, [value bstr|nil …]]`. Source:
/// `docs/formats/forest.md`.
///
/// @param head the signed statement of the head, as {@link HeadStatement} reads it
/// @param proof an encoded {@link RangeOfState}
/// @param values one for each key that the proof shows, in order: an encoded {@link StateValue};
///   empty if it is not shown
public record RangeFile(Bytes head, Bytes proof, List<Optional<Bytes>> values) {
  /// The longest encoding.
  public static final int BYTES_MAX = 16 * 1024 * 1024;

  private static final int TYPE = 36;
  private static final int ITEMS = 4;

  public RangeFile {
    values = List.copyOf(values);
  }

  /// A key of the range that has a value.
  ///
  /// @param value present if the file holds it
  public record Item(StateEntry entry, Optional<Bytes> value) {}

  /// The content of a verified file.
  ///
  /// @param head to be believed by the rule of trust
  /// @param seal of the block whose state it is
  /// @param from the first key; the reader compares it with the range in question
  /// @param to behind the last key; empty for all keys from `from` on
  /// @param items all keys of the range that have a value, in order
  public record Verified(
      SignedHead head, SealLeaf seal, Bytes from, Optional<Bytes> to, List<Item> items) {
    public Verified {
      items = List.copyOf(items);
    }

    public long height() {
      return seal.height();
    }
  }

  /// @param values one for each key that the proof shows, in order
  public static RangeFile of(
      SignedHead head, RangeOfState proof, List<Optional<StateValue>> values) {
    return new RangeFile(
        head.evidence().encoded(),
        proof.encode(),
        values.stream().map(value -> value.map(StateValue::encode)).toList());
  }

  /// Whether it is a range file by its type.
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

  public static RangeFile decode(Bytes encoded) throws MalformedException {
    if (encoded.size() > BYTES_MAX) {
      throw new MalformedException("file of " + encoded.size() + " bytes, at most " + BYTES_MAX);
    }
    CborReader in = new CborReader(encoded);
    in.array("range file", ITEMS);
    SealBytes.checkType(in, TYPE);
    Bytes head = Bytes.wrap(in.bytes("head", HeadStatement.BYTES_MAX));
    Bytes proof = Bytes.wrap(in.bytes("proof", RangeOfState.BYTES_MAX));
    List<Optional<Bytes>> values = StateFile.decodeValues(in, StateRange.RESULTS_MAX);
    in.end();
    return new RangeFile(head, proof, values);
  }

  public Verified verify(StrandId strand, ServiceKeys keys, Signatures signatures)
      throws ProofRejectedException {
    SignedHead signed = HeadStatement.verify(head, strand, keys, signatures);
    try {
      RangeOfState range = RangeOfState.decode(proof);
      List<StateEntry> entries = range.verify(range.from(), range.to(), signed);
      SealLeaf seal = range.seal().verify(signed);
      return new Verified(signed, seal, range.from(), range.to(), items(entries));
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "range file: " + e.getMessage(), e);
    }
  }

  private List<Item> items(List<StateEntry> entries)
      throws MalformedException, ProofRejectedException {
    if (entries.size() != values.size()) {
      throw new ProofRejectedException(
          Reason.MISSING,
          String.format(Locale.ROOT, "%d values of %d keys", values.size(), entries.size()));
    }
    List<Item> items = new ArrayList<>(entries.size());
    for (StateEntry entry : entries) {
      Optional<Bytes> encoded = values.get(items.size());
      Optional<Bytes> value = Optional.empty();
      if (encoded.isPresent()) {
        StateValue opened = StateValue.decode(encoded.get());
        opened.verify(entry);
        value = Optional.of(opened.value());
      }
      items.add(new Item(entry, value));
    }
    return items;
  }
}

package io.tallystick.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.head.LastSeal;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The proof of what a ledger's state holds of each of several keys as of a head: `[33, seal bstr,
/// [path …], [key …], count, first, [roots …], [part …]]`. Source: `docs/formats/forest.md`.
///
/// @param seal the log's last leaf under the head
/// @param keys those it is about, 2 or more; whoever verifies names the keys that were asked for
/// @param lookups of the keys in the forest whose root is the seal's
public record LookupsProof(LastSeal seal, List<Bytes> keys, StateLookups lookups) {
  /// The longest encoding.
  public static final int BYTES_MAX = 4 * 1024 * 1024;

  private static final int TYPE = 33;
  private static final int ITEMS = 8;

  public LookupsProof {
    keys = List.copyOf(keys);
  }

  /// Whether it is a proof of several keys by its type.
  public static boolean isOne(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array();
    return in.uint() == TYPE;
  }

  public Bytes encode() {
    CborWriter out = new CborWriter(16 * 1024);
    out.array(ITEMS).uint(TYPE);
    SealBytes.encodeInto(out, seal);
    out.array(keys.size());
    keys.forEach(out::bytes);
    lookups.encodeInto(out);
    return out.toBytes();
  }

  public static LookupsProof decode(Bytes encoded) throws MalformedException {
    SealBytes.checkSize(encoded, BYTES_MAX);
    CborReader in = new CborReader(encoded);
    in.array("proof of several keys", ITEMS);
    SealBytes.checkType(in, TYPE);
    LastSeal seal = SealBytes.decode(in);
    List<Bytes> keys = keys(in);
    StateLookups lookups = StateLookups.decode(in);
    in.end();
    return new LookupsProof(seal, keys, lookups);
  }

  private static List<Bytes> keys(CborReader in) throws MalformedException {
    int count = in.arrayAtMost("keys", StateLookups.KEYS_MAX);
    if (count < StateLookups.KEYS_MIN) {
      throw new MalformedException("a proof of several keys with " + count);
    }
    List<Bytes> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Bytes key = Bytes.wrap(in.bytes("key", StateEntry.KEY_BYTES_MAX));
      if (key.isEmpty() || (i > 0 && key.compareTo(keys.getLast()) <= 0)) {
        throw new MalformedException("key " + i + " does not ascend: " + key);
      }
      keys.add(key);
    }
    return keys;
  }

  /// @param wanted the keys that were asked for, strictly ascending; the proof may be of the first
  ///   of them only
  /// @param head a trusted one
  /// @return of each key of the proof, in their order
  public List<StateAnswer> verify(List<Bytes> wanted, SignedHead head)
      throws ProofRejectedException {
    if (keys.size() > wanted.size() || !wanted.subList(0, keys.size()).equals(keys)) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY,
          String.format(
              Locale.ROOT,
              "proof for %d keys, which are not the first of the %d wanted",
              keys.size(),
              wanted.size()));
    }
    SealLeaf last = seal.verify(head);
    return lookups.verify(keys, new StateRoot(last.stateRoot()), last.height());
  }
}

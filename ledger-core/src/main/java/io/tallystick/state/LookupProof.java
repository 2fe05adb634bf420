package io.tallystick.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.head.LastSeal;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;

/// The proof of what a ledger's state holds of one key as of a head: `[30, seal bstr, [path …],
/// key, count, first, [roots …], [search …]]`. Source: `docs/formats/forest.md`.
///
/// @param seal the log's last leaf under the head
/// @param key the one that it is about; whoever verifies names the key that was asked for
/// @param lookup the key in the forest whose root is the seal's
public record LookupProof(LastSeal seal, Bytes key, StateLookup lookup) {
  /// The longest encoding.
  public static final int BYTES_MAX = 256 * 1024;

  private static final int TYPE = 30;
  private static final int ITEMS = 8;

  public Bytes encode() {
    CborWriter out = new CborWriter(4096);
    out.array(ITEMS).uint(TYPE);
    SealBytes.encodeInto(out, seal);
    out.bytes(key);
    lookup.encodeInto(out);
    return out.toBytes();
  }

  public static LookupProof decode(Bytes encoded) throws MalformedException {
    SealBytes.checkSize(encoded, BYTES_MAX);
    CborReader in = new CborReader(encoded);
    in.array("lookup proof", ITEMS);
    SealBytes.checkType(in, TYPE);
    LastSeal seal = SealBytes.decode(in);
    Bytes key = Bytes.wrap(in.bytes("key", StateEntry.KEY_BYTES_MAX));
    StateLookup lookup = StateLookup.decode(in);
    in.end();
    return new LookupProof(seal, key, lookup);
  }

  /// @param wanted the key that was asked for
  /// @param head a trusted one
  public StateAnswer verify(Bytes wanted, SignedHead head) throws ProofRejectedException {
    if (!key.equals(wanted)) {
      throw new ProofRejectedException(Reason.WRONG_KEY, "proof for " + key + ", want " + wanted);
    }
    SealLeaf last = seal.verify(head);
    return lookup.verify(key, new StateRoot(last.stateRoot()), last.height());
  }
}

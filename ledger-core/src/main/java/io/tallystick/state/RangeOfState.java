package io.tallystick.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.head.LastSeal;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// All that a ledger's state holds of the keys `[from, to)` as of a head: `[31, seal bstr, [path
/// …], from, to|nil, count, [[partition bstr, node] …]]`. Source: `docs/formats/forest.md`.
///
/// @param seal the log's last leaf under the head
/// @param to behind the last key; empty for all keys from `from` on
/// @param range those keys in the forest whose root is the seal's
public record RangeOfState(LastSeal seal, Bytes from, Optional<Bytes> to, StateRange range) {
  /// The longest encoding: a thousand entries with keys of 256 bytes and their nodes, in a few
  /// hundred partitions.
  public static final int BYTES_MAX = 4 * 1024 * 1024;

  private static final int TYPE = 31;
  private static final int ITEMS = 7;

  public Bytes encode() {
    CborWriter out = new CborWriter(16 * 1024);
    out.array(ITEMS).uint(TYPE);
    SealBytes.encodeInto(out, seal);
    out.bytes(from);
    to.ifPresentOrElse(out::bytes, out::nil);
    range.encodeInto(out);
    return out.toBytes();
  }

  public static RangeOfState decode(Bytes encoded) throws MalformedException {
    SealBytes.checkSize(encoded, BYTES_MAX);
    CborReader in = new CborReader(encoded);
    in.array("range proof", ITEMS);
    SealBytes.checkType(in, TYPE);
    LastSeal seal = SealBytes.decode(in);
    Bytes from = bound(in);
    Optional<Bytes> to = in.nil() ? Optional.empty() : Optional.of(bound(in));
    StateRange range = StateRange.decode(in);
    in.end();
    return new RangeOfState(seal, from, to, range);
  }

  private static Bytes bound(CborReader in) throws MalformedException {
    return Bytes.wrap(in.bytes("end of the range", StateRange.BOUND_BYTES_MAX));
  }

  /// @param wantedFrom the first key that was asked for
  /// @param wantedTo behind the last key that was asked for; a page may end before it
  /// @param head a trusted one
  /// @return the newest entry of each key of `[from, to)` that has a value, in key order
  public List<StateEntry> verify(Bytes wantedFrom, Optional<Bytes> wantedTo, SignedHead head)
      throws ProofRejectedException {
    if (!from.equals(wantedFrom) || isBehind(wantedTo)) {
      throw new ProofRejectedException(
          Reason.WRONG_KEY,
          String.format(
              Locale.ROOT, "proof for %s to %s, want %s to %s", from, to, wantedFrom, wantedTo));
    }
    SealLeaf last = seal.verify(head);
    return range.verify(from, to, new StateRoot(last.stateRoot()), last.height());
  }

  private boolean isBehind(Optional<Bytes> wanted) {
    return wanted.isPresent() && (to.isEmpty() || to.get().compareTo(wanted.get()) > 0);
  }
}

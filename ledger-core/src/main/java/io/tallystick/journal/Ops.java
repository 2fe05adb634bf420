package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.OpsRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Printable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The operations of one request, as they travel and as they are retained: a CBOR array of them, no
/// bytes at all if there are none. The header holds their number and the root over them. Source:
/// `docs/formats/request.md`.
///
/// @param values at most 10,000, with distinct keys
public record Ops(List<Op> values) {
  public static final Ops NONE = new Ops(List.of());

  public Ops {
    values = List.copyOf(values);
    if (values.size() > Limits.OPS_MAX) {
      throw new IllegalArgumentException(values.size() + " operations, at most " + Limits.OPS_MAX);
    }
    if (values.size() > 1) {
      checkDistinct(values);
    }
  }

  private static void checkDistinct(List<Op> values) {
    Set<Bytes> keys = new HashSet<>();
    for (int i = 0; i < values.size(); i++) {
      if (!keys.add(values.get(i).key())) {
        throw new IllegalArgumentException(
            "operation " + i + ": key " + Printable.name(values.get(i).key()) + " is there twice");
      }
    }
  }

  public int size() {
    return values.size();
  }

  public Bytes encode() {
    if (values.isEmpty()) {
      return Bytes.EMPTY;
    }
    CborWriter out = new CborWriter(96 * values.size());
    out.array(values.size());
    values.forEach(op -> out.raw(op.encode()));
    return out.toBytes();
  }

  public static Ops decode(Bytes encoded) throws MalformedException {
    if (encoded.isEmpty()) {
      return NONE;
    }
    CborReader in = new CborReader(encoded);
    int count = in.arrayAtMost("operations", Limits.OPS_MAX);
    if (count == 0) {
      throw new MalformedException("an array of no operations, want no bytes");
    }
    List<Op> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      values.add(Op.decode(in));
    }
    in.end();
    return Decoding.validated(() -> new Ops(values));
  }

  /// The root by which the header commits to them; null if there are none.
  public @Nullable OpsRoot root() {
    return values.isEmpty() ? null : Op.root(values);
  }

  /// The same of encoded operations, over their bytes as they are.
  ///
  /// @param encoded operations that {@link #decode} takes
  /// @throws MalformedException if it has found that they are none
  public static @Nullable OpsRoot rootOf(Bytes encoded) throws MalformedException {
    if (encoded.isEmpty()) {
      return null;
    }
    CborReader in = new CborReader(encoded);
    int count = in.arrayAtMost("operations", Limits.OPS_MAX);
    List<Digest> hashes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int from = in.position();
      Op.skip(in);
      hashes.add(TreeHasher.leafHash(encoded.unsafeArray(), from, in.position() - from));
    }
    return new OpsRoot(count == 1 ? hashes.getFirst() : TreeHasher.rootOverLeafHashes(hashes));
  }
}

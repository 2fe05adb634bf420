package io.tallystick.state;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.head.LastSeal;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;

/// The beginning of the proofs of the state: type, seal and path.
final class SealBytes {
  private SealBytes() {}

  static void encodeInto(CborWriter out, LastSeal seal) {
    out.bytes(seal.seal()).array(seal.path().size());
    seal.path().forEach(out::digest);
  }

  static LastSeal decode(CborReader in) throws MalformedException {
    Bytes seal = Bytes.wrap(in.bytes("seal", Limits.LEAF_BYTES_MAX));
    int count = in.arrayAtMost("path", TreeGeometry.PATH_HASHES_MAX);
    List<Digest> path = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      path.add(in.digest());
    }
    return new LastSeal(seal, path);
  }

  static void checkType(CborReader in, int want) throws MalformedException {
    long type = in.uint();
    if (type != want) {
      throw new MalformedException("type " + type + ", want " + want);
    }
  }

  static void checkSize(Bytes encoded, int max) throws MalformedException {
    if (encoded.size() > max) {
      throw new MalformedException("proof of " + encoded.size() + " bytes, at most " + max);
    }
  }
}

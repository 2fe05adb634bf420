package io.tallystick.client.trust;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;

/// The heads of a strand that a user has set as trusted anchors: `[1, [head statement bstr…]]`,
/// ascending by size. Source: `docs/formats/trust-store.md`.
final class AnchorFile {
  /// For a further one the smallest gives way.
  static final int ANCHORS_MAX = 64;

  private static final int VERSION = 1;

  private AnchorFile() {}

  static Bytes encode(List<Bytes> statements) {
    CborWriter out = new CborWriter(256);
    out.array(2).uint(VERSION).array(statements.size());
    statements.forEach(out::bytes);
    return out.toBytes();
  }

  static List<Bytes> decode(Bytes file) throws MalformedException {
    CborReader in = new CborReader(file);
    in.array("anchors", 2);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("version " + version + ", want " + VERSION);
    }
    int count = in.array();
    if (count > ANCHORS_MAX) {
      throw new MalformedException(count + " anchors, at most " + ANCHORS_MAX);
    }
    List<Bytes> statements = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      statements.add(Bytes.wrap(in.bytes("statement", StoredHead.STATEMENT_BYTES_MAX)));
    }
    in.end();
    return statements;
  }
}

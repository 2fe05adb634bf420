package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;

/// One leaf of this log, named by place and content: `[jsn, leaf hash]`.
public record JournalRef(Jsn jsn, Digest leafHash) {
  private static final int ITEMS = 2;

  void encodeInto(CborWriter out) {
    out.array(ITEMS).uint(jsn.value()).digest(leafHash);
  }

  static JournalRef decode(CborReader in) throws MalformedException {
    in.array("named journal", ITEMS);
    return new JournalRef(new Jsn(in.uint()), in.digest());
  }
}

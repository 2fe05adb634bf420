package io.tallystick.server.index;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import java.nio.ByteBuffer;

/// How far a strand's index is saved: `"h" ‖ ledgerId ‖ strand u32 → [1, size, blocks]`.
public record StrandRow(long size, long blocks) {
  static final Bytes STRANDS = Bytes.utf8("h");

  /// Of a strand that was never saved.
  static final StrandRow NONE = new StrandRow(0, 0);

  private static final int VERSION = 1;

  static Bytes key(StrandId strand) {
    ByteBuffer key = ByteBuffer.allocate(1 + Digest.BYTES + Integer.BYTES);
    key.put((byte) 'h').put(strand.ledger().digest().toArray()).putInt(strand.strand());
    return Bytes.wrap(key.array());
  }

  Bytes encode() {
    return new CborWriter(32).array(3).uint(VERSION).uint(size).uint(blocks).toBytes();
  }

  static StrandRow decode(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("strand row", 3);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("strand row version " + version + ", want " + VERSION);
    }
    StrandRow decoded = new StrandRow(in.uint(), in.uint());
    in.end();
    return decoded;
  }
}

package io.tallystick.server.anchor;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import java.nio.ByteBuffer;
import java.util.Locale;

/// A kept anchor as a noted row: `"g" ‖ ledgerId ‖ strand u32 ‖ size u64 ‖ kid → [1, anchor bstr]`.
/// Source: `docs/formats/savepoint.md`.
///
/// @param kid of the member that signed
record AnchorRow(StrandId strand, long size, Digest kid) {
  static final Bytes PREFIX = Bytes.utf8("g");

  /// The bytes of one anchor; the longest has less than 300.
  static final int ANCHOR_BYTES_MAX = 1_024;

  private static final int VERSION = 1;
  private static final int STRAND_AT = 1 + Digest.BYTES;
  private static final int SIZE_AT = STRAND_AT + Integer.BYTES;
  private static final int KID_AT = SIZE_AT + Long.BYTES;
  private static final int KEY_BYTES = KID_AT + Digest.BYTES;

  /// That of the keys of a strand's anchors, which ascend by size.
  static Bytes prefix(StrandId strand) {
    byte[] key = new byte[SIZE_AT];
    PREFIX.copyInto(key, 0);
    strand.ledger().digest().copyInto(key, PREFIX.size());
    ByteBuffer.wrap(key).putInt(STRAND_AT, strand.strand());
    return Bytes.wrap(key);
  }

  Bytes key() {
    byte[] key = new byte[KEY_BYTES];
    PREFIX.copyInto(key, 0);
    strand.ledger().digest().copyInto(key, PREFIX.size());
    ByteBuffer.wrap(key).putInt(STRAND_AT, strand.strand()).putLong(SIZE_AT, size);
    kid.copyInto(key, KID_AT);
    return Bytes.wrap(key);
  }

  static AnchorRow ofKey(Bytes key) throws MalformedException {
    if (key.size() != KEY_BYTES) {
      throw new MalformedException(
          String.format(Locale.ROOT, "key of %d bytes, want %d", key.size(), KEY_BYTES));
    }
    ByteBuffer numbers = ByteBuffer.wrap(key.toArray());
    int strand = numbers.getInt(STRAND_AT);
    long size = numbers.getLong(SIZE_AT);
    if (strand < 0 || size < 1 || size > TreeGeometry.SIZE_MAX) {
      throw new MalformedException("strand " + strand + ", size " + size);
    }
    LedgerId ledger = new LedgerId(Digest.of(key.slice(PREFIX.size(), Digest.BYTES)));
    return new AnchorRow(
        new StrandId(ledger, strand), size, Digest.of(key.slice(KID_AT, Digest.BYTES)));
  }

  static Bytes encode(Bytes anchor) {
    return new CborWriter(16 + anchor.size()).array(2).uint(VERSION).bytes(anchor).toBytes();
  }

  static Bytes decode(Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("anchor row", 2);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("anchor row version " + version + ", want " + VERSION);
    }
    Bytes anchor = Bytes.wrap(in.bytes("anchor", ANCHOR_BYTES_MAX));
    in.end();
    return anchor;
  }
}

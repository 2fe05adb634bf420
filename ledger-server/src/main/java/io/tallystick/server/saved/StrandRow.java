package io.tallystick.server.saved;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.zip.CRC32C;

/// How far a strand's index is saved, and its newest head, so that nothing else need be read for
/// it: `"h" ‖ ledgerId ‖ strand u32 → [2, blocks, governed, row of the last block, crc32c]`.
///
/// @param blocks at least 1
/// @param governed whether a journal has changed what genesis says of members and features; if not,
///   no other row tells more
public record StrandRow(long blocks, boolean governed, BlockRow last) {
  public static final Bytes STRANDS = Bytes.utf8("h");

  private static final int VERSION = 2;
  private static final int ELEMENTS = 5;
  private static final int BYTES_MAX = 320;

  public static Bytes key(StrandId strand) {
    ByteBuffer key = ByteBuffer.allocate(STRANDS.size() + Digest.BYTES + Integer.BYTES);
    key.put(STRANDS.unsafeArray());
    key.put(strand.ledger().digest().toArray()).putInt(strand.strand());
    return Bytes.wrap(key.array());
  }

  /// The leaves of the strand's tree.
  public long size() {
    return last.size();
  }

  public Bytes encode(StrandId strand) {
    CborWriter out =
        new CborWriter(BYTES_MAX)
            .array(ELEMENTS)
            .uint(VERSION)
            .uint(blocks)
            .bool(governed)
            .bytes(last.encode(blocks - 1));
    return out.uint(checksum(key(strand), out.toArray(), out.length())).toBytes();
  }

  public static StrandRow decode(Bytes key, Bytes row) throws MalformedException {
    CborReader in = new CborReader(row);
    in.array("strand row", ELEMENTS);
    long version = in.uint();
    if (version != VERSION) {
      throw new MalformedException("strand row version " + version + ", want " + VERSION);
    }
    long blocks = in.uint();
    boolean governed = in.bool();
    byte[] last = in.bytes("last block", BlockRow.BYTES);
    int covered = in.position();
    if (in.uint() != checksum(key, row.unsafeArray(), covered)) {
      throw new MalformedException("checksum of the strand row is wrong");
    }
    in.end();
    if (blocks < 1 || last.length != BlockRow.BYTES) {
      throw new MalformedException(
          String.format(
              Locale.ROOT,
              "strand row of %d blocks with a block row of %d bytes",
              blocks,
              last.length));
    }
    try {
      return new StrandRow(blocks, governed, BlockRow.decode(last, blocks - 1));
    } catch (CorruptStreamException e) {
      throw new MalformedException("strand row: " + e.getMessage(), e);
    }
  }

  private static long checksum(Bytes key, byte[] row, int count) {
    CRC32C crc = new CRC32C();
    crc.update(key.unsafeArray());
    crc.update(row, 0, count);
    return crc.getValue();
  }
}

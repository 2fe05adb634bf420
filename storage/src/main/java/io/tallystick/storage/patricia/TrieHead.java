package io.tallystick.storage.patricia;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.page.SlotSizes;
import io.tallystick.storage.stream.CorruptStreamException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// The row that says where the root of a strand's trie lies: `[1, address, root hash, key count]`
/// under the key `"patricia/" ‖ ledgerId (32) ‖ strand (u32)`. An empty trie has none.
record TrieHead(long address, Digest root, long keyCount) {
  private static final int VERSION = 1;
  private static final byte[] PREFIX = "patricia/".getBytes(StandardCharsets.US_ASCII);

  /// The prefix of the keys of all rows.
  static final Bytes ALL = Bytes.copyOf(PREFIX);

  static Bytes key(StrandId strand) {
    return Bytes.wrap(
        ByteBuffer.allocate(PREFIX.length + Digest.BYTES + Integer.BYTES)
            .put(PREFIX)
            .put(strand.ledger().digest().toArray())
            .putInt(strand.strand())
            .array());
  }

  static boolean isRow(Bytes key) {
    return key.size() >= PREFIX.length && key.slice(0, PREFIX.length).equals(ALL);
  }

  Bytes encode() {
    return new CborWriter()
        .array(4)
        .uint(VERSION)
        .uint(address)
        .digest(root)
        .uint(keyCount)
        .toBytes();
  }

  static TrieHead decode(StrandId strand, Bytes row) throws CorruptStreamException {
    try {
      CborReader in = new CborReader(row);
      in.array("trie head", 4);
      long version = in.uint();
      if (version != VERSION) {
        throw new MalformedException("row version " + version + ", want " + VERSION);
      }
      long address = in.uint("address", SlotSizes.ADDRESS_MAX);
      TrieHead head = new TrieHead(address, in.digest(), in.uint());
      in.end();
      return head;
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "trie head of " + strand, 0, String.valueOf(e.getMessage()), e);
    }
  }
}

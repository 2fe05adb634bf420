package io.tallystick.merkle.patricia;

import io.tallystick.merkle.TreeGeometry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;

/// The value of one clue in the clue trie: `RLP[count, root, deletedJsn or 0]`.
///
/// @param count of the clue's journals, at least 1
/// @param root of the clue's own tree: RFC 9162 over the 32-byte leaf hashes of its journals, each
///   hashed as a leaf, in order of jsn
/// @param deletedJsn the clueDelete that is the clue's last journal; 0 if its last one is no
///   clueDelete
public record ClueValue(long count, Digest root, long deletedJsn) {
  /// The largest jsn there can be in the largest log.
  public static final long JSN_MAX = TreeGeometry.SIZE_MAX - 1;

  /// The longest encoding: two numbers of 8 bytes and a hash.
  public static final int BYTES_MAX = 1 + 9 + 33 + 9;

  public ClueValue {
    if (count < 1 || count > TreeGeometry.SIZE_MAX) {
      throw new IllegalArgumentException("count " + count + ", want 1 to 2^62");
    }
    if (deletedJsn < 0 || deletedJsn > JSN_MAX) {
      throw new IllegalArgumentException("deletedJsn " + deletedJsn + " is out of range");
    }
  }

  public boolean isDeleted() {
    return deletedJsn != 0;
  }

  public Bytes encode() {
    int items = RlpWriter.uintBytes(count) + 1 + Digest.BYTES + RlpWriter.uintBytes(deletedJsn);
    return new RlpWriter(RlpWriter.listBytes(items))
        .list(items)
        .uint(count)
        .digest(root)
        .uint(deletedJsn)
        .toBytes();
  }

  public static ClueValue decode(Bytes encoded) throws MalformedException {
    RlpReader in = new RlpReader(encoded);
    RlpReader items = in.list();
    in.end();
    long count = items.uint("count", TreeGeometry.SIZE_MAX);
    if (count == 0) {
      throw new MalformedException("count 0: a clue without journals has no value");
    }
    Digest root = items.digest();
    long deletedJsn = items.uint("deletedJsn", JSN_MAX);
    items.end();
    return new ClueValue(count, root, deletedJsn);
  }
}

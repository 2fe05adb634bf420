package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.OptionalLong;

/// One partition of a state forest: `[6, number, firstHeight, lastHeight|nil, entryCount,
/// rootHash]`. Source: `docs/formats/forest.md`.
///
/// @param number rises by one from partition to partition, from 0
/// @param firstHeight of the block that began it
/// @param lastHeight of the block that closed it; empty while it is open
/// @param entryCount of its entries, at least 1
/// @param rootHash of its tree
public record StatePartition(
    long number, long firstHeight, OptionalLong lastHeight, long entryCount, Digest rootHash) {
  /// The longest encoding: five numbers of nine bytes, a hash, a head.
  public static final int BYTES_MAX = 80;

  private static final int TYPE = 6;
  private static final int ITEMS = 6;

  public Bytes encode() {
    CborWriter out = new CborWriter(BYTES_MAX);
    out.array(ITEMS).uint(TYPE).uint(number).uint(firstHeight);
    if (lastHeight.isPresent()) {
      out.uint(lastHeight.getAsLong());
    } else {
      out.nil();
    }
    return out.uint(entryCount).digest(rootHash).toBytes();
  }

  public static StatePartition decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("partition", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no partition, want " + TYPE);
    }
    long number = in.uint();
    long first = in.uint();
    OptionalLong last = in.nil() ? OptionalLong.empty() : OptionalLong.of(in.uint());
    long entries = in.uint();
    Digest root = in.digest();
    in.end();
    return new StatePartition(number, first, last, entries, root);
  }
}

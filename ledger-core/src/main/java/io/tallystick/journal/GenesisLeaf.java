package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;

/// The first leaf of every strand.
///
/// @param genesisParams encoded; {@link GenesisParams#decode} reads it
/// @param attestHash of the owners' signatures over the params
public record GenesisLeaf(long timeMs, int strand, Bytes genesisParams, Digest attestHash)
    implements Leaf {
  private static final int ITEMS = 6;
  private static final int OVERHEAD_BYTES = 64;

  public GenesisLeaf {
    Leaf.checkTime(timeMs);
    if (strand < 0 || genesisParams.size() > Limits.LEAF_BYTES_MAX - OVERHEAD_BYTES) {
      throw new IllegalArgumentException(
          "strand " + strand + ", params of " + genesisParams.size() + " bytes");
    }
  }

  @Override
  public Jsn jsn() {
    return new Jsn(0);
  }

  @Override
  public Bytes encode() {
    return new CborWriter(genesisParams.size() + OVERHEAD_BYTES)
        .array(ITEMS)
        .uint(GENESIS)
        .uint(0)
        .uint(timeMs)
        .uint(strand)
        .bytes(genesisParams)
        .digest(attestHash)
        .toBytes();
  }

  static GenesisLeaf decode(CborReader in, int items) throws MalformedException {
    Leaf.checkItems(GENESIS, items, ITEMS);
    in.uint("jsn of genesis", 0);
    long timeMs = in.uint();
    int strand = (int) in.uint("strand", Integer.MAX_VALUE);
    Bytes params = Bytes.wrap(in.bytes("GenesisParams", Limits.LEAF_BYTES_MAX));
    Digest attestHash = in.digest();
    return Decoding.validated(() -> new GenesisLeaf(timeMs, strand, params, attestHash));
  }
}

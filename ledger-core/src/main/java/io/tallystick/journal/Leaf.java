package io.tallystick.journal;

import io.tallystick.cbor.CborReader;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;

/// One leaf of a strand's log. Its jsn is its index.
public sealed interface Leaf permits GenesisLeaf, JournalLeaf, SealLeaf {
  int JOURNAL = 1;
  int SEAL = 2;
  int GENESIS = 3;

  Jsn jsn();

  /// The service's clock; never decreases along the log.
  long timeMs();

  Bytes encode();

  /// RFC 9162 leaf hash of the encoding.
  default Digest leafHash() {
    return hash(encode());
  }

  static Digest hash(Bytes encoded) {
    return TreeHasher.leafHash(encoded.unsafeArray());
  }

  static Leaf decode(Bytes encoded) throws MalformedException {
    if (encoded.size() > Limits.LEAF_BYTES_MAX) {
      throw new MalformedException(
          "leaf of " + encoded.size() + " bytes, at most " + Limits.LEAF_BYTES_MAX);
    }
    CborReader in = new CborReader(encoded);
    int items = in.array();
    int type = (int) in.uint("leaf type", Integer.MAX_VALUE);
    Leaf leaf =
        switch (type) {
          case JOURNAL -> JournalLeaf.decode(in, items);
          case SEAL -> SealLeaf.decode(in, items);
          case GENESIS -> GenesisLeaf.decode(in, items);
          default -> throw new MalformedException("leaf of type " + type + " is not defined");
        };
    in.end();
    return leaf;
  }

  /// @throws MalformedException unless a leaf of `type` has `want` items
  static void checkItems(int type, int items, int want) throws MalformedException {
    if (items != want) {
      throw new MalformedException(
          "leaf of type " + type + " has " + items + " items, want " + want);
    }
  }

  static void checkTime(long timeMs) {
    if (timeMs < 0 || timeMs > Limits.TIME_MS_MAX) {
      throw new IllegalArgumentException("timeMs " + timeMs + " is out of range");
    }
  }
}

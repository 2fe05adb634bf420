package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import java.util.Locale;

/// The hash of a node of a partition's tree, SHA-256(0x02 ‖ CBOR[level, n, keysHash, RFC 9162 root
/// over the node's records]), and the bounds that every node keeps. Source:
/// `docs/formats/forest.md`.
public final class StateNode {
  /// The highest level that a node may have; a leaf has level 0.
  public static final int LEVEL_MAX = 15;

  /// The most records that a node may have.
  public static final int RECORDS_MAX = 1024;

  private static final byte HASH_PREFIX = 2;

  private StateNode() {}

  /// @param recordsRoot the RFC 9162 root over the encoded records
  public static Digest hash(int level, Separators separators, Digest recordsRoot) {
    CborWriter out = new CborWriter(96);
    out.array(4).uint(level).uint(separators.size() + 1L);
    out.digest(separators.keysHash()).digest(recordsRoot);
    return Sha256.hash(new byte[] {HASH_PREFIX}, out.toArray());
  }

  static int decodeLevel(CborReader in) throws MalformedException {
    return (int) in.uint("level", LEVEL_MAX);
  }

  /// The number of records of a node of that level.
  static int decodeCount(CborReader in, int level) throws MalformedException {
    int count = (int) in.uint("records", RECORDS_MAX);
    int least = level == 0 ? 1 : 2;
    if (count < least) {
      throw new MalformedException(
          String.format(
              Locale.ROOT, "%d records in a node of level %d, want %d", count, level, least));
    }
    return count;
  }

  /// A record of an inner node: `[5, childHash, entryCount]`.
  ///
  /// @param entryCount of all leaves below the child
  public record Child(Digest hash, long entryCount) {
    private static final int TYPE = 5;

    public Bytes encode() {
      return new CborWriter(48).array(3).uint(TYPE).digest(hash).uint(entryCount).toBytes();
    }

    static Child decode(Bytes encoded) throws MalformedException {
      CborReader in = new CborReader(encoded);
      in.array("child", 3);
      long type = in.uint();
      if (type != TYPE) {
        throw new MalformedException("type " + type + " is no child, want " + TYPE);
      }
      Child child = new Child(in.digest(), in.uint());
      in.end();
      return child;
    }
  }
}

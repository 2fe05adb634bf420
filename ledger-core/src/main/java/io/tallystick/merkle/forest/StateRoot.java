package io.tallystick.merkle.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.Sha256;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The root of a strand's state forest: SHA-256("tallystick/forest/1\0" ‖ CBOR[partitionCount, RFC
/// 9162 root over the partitions, oldest first]). Accepted only from a seal under a trusted head.
/// Source: `docs/formats/forest.md`.
public record StateRoot(Digest digest) {
  private static final byte[] DOMAIN = "tallystick/forest/1\0".getBytes(StandardCharsets.US_ASCII);

  /// The root of the forest without partitions.
  public static final StateRoot EMPTY = of(0, TreeHasher.EMPTY_ROOT);

  /// @param partitions encoded, oldest first
  public static StateRoot over(List<Bytes> partitions) {
    return of(partitions.size(), TreeHasher.rootOverData(partitions));
  }

  static StateRoot of(long count, Digest partitionsRoot) {
    Bytes encoded = new CborWriter(48).array(2).uint(count).digest(partitionsRoot).toBytes();
    return new StateRoot(Sha256.hash(DOMAIN, encoded.toArray()));
  }

  @Override
  public String toString() {
    return digest.hex();
  }
}

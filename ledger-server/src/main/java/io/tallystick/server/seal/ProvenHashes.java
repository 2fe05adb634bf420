package io.tallystick.server.seal;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;

/// Hashes of neighbouring complete subtrees of `256^level` leaves that are proven to be under a
/// head, and so under every later head.
///
/// @param first index of the first of them in its level
public record ProvenHashes(int level, long first, Bytes hashes) {
  public boolean has(int wantedLevel, long index) {
    return level == wantedLevel && index >= first && index - first < hashes.size() / Digest.BYTES;
  }

  public Digest hash(long index) {
    return Digest.of(hashes.unsafeArray(), (int) (index - first) * Digest.BYTES);
  }
}

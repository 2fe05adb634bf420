package io.tallystick.merkle;

import io.tallystick.model.Digest;
import java.util.List;

/// The root over the request hashes of one client batch. Accepted only as what a batch attestation
/// signs.
public record BatchRoot(Digest digest) {
  public static BatchRoot over(List<Digest> requestHashes) {
    return new BatchRoot(TreeHasher.rootOverHashes(requestHashes));
  }

  @Override
  public String toString() {
    return digest.hex();
  }
}

package io.tallystick.client;

import io.tallystick.head.HeadAge;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;
import java.time.Instant;
import java.time.InstantSource;

/// A sealed block: its seal verified to stand in the log, and its head joined to all this client
/// has trusted before.
///
/// @param blockHash the seal's leaf hash
/// @param head of the tree that ends with the seal
public record VerifiedBlock(SealLeaf seal, Digest blockHash, SignedHead head) {
  public long height() {
    return seal.height();
  }

  /// When it was sealed, by the service's clock.
  public Instant sealedAt() {
    return Instant.ofEpochMilli(seal.timeMs());
  }

  /// How old its head is by a clock of one's own.
  public HeadAge age(InstantSource clock) {
    return HeadAge.of(seal, clock);
  }
}

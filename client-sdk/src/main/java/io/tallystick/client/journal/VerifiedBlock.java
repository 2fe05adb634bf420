package io.tallystick.client.journal;

import io.tallystick.head.HeadAge;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;

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

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "VerifiedBlock[height %d, jsns %s to %s, sealed at %s, hash %s, %s]",
        height(),
        seal.firstJsn(),
        seal.jsn(),
        Printable.time(seal.timeMs()),
        blockHash,
        head);
  }
}

package io.tallystick.client;

import io.tallystick.head.SignedHead;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
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

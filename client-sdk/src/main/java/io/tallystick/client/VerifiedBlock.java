package io.tallystick.client;

import io.tallystick.head.SignedHead;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Digest;

/// A sealed block: its seal verified to stand in the log, and its head joined to all this client
/// has trusted before.
///
/// @param blockHash the seal's leaf hash
/// @param head of the tree that ends with the seal
public record VerifiedBlock(SealLeaf seal, Digest blockHash, SignedHead head) {
  public long height() {
    return seal.height();
  }
}

package io.tallystick.server.index;

import io.tallystick.model.Digest;
import io.tallystick.server.world.MemberTable;

/// The newest sealed state of a strand, published whole so that a reader sees one moment.
///
/// @param size of the tree under the newest seal; 0 before genesis is sealed
/// @param blocks number of sealed blocks
/// @param blockHash leaf hash of the newest seal
/// @param root of the tree of `size` leaves
/// @param members after the first `size` leaves
public record SealedHead(
    long size, long blocks, long timeMs, Digest blockHash, Digest root, MemberTable members) {
  public long height() {
    return blocks - 1;
  }
}

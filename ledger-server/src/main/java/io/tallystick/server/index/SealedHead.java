package io.tallystick.server.index;

import io.tallystick.model.Digest;
import io.tallystick.server.world.Governance;
import io.tallystick.server.world.MemberTable;
import io.tallystick.storage.patricia.TrieView;
import org.jspecify.annotations.Nullable;

/// The newest sealed state of a strand, published whole so that a reader sees one moment.
///
/// @param size of the tree under the newest seal; 0 before genesis is sealed
/// @param blocks number of sealed blocks
/// @param blockHash leaf hash of the newest seal
/// @param root of the tree of `size` leaves
/// @param clueRoot that the newest seal holds
/// @param clues the clue trie under `clueRoot`; null while nothing has needed it since the start
/// @param governance after the first `size` leaves
public record SealedHead(
    long size,
    long blocks,
    long timeMs,
    Digest blockHash,
    Digest root,
    Digest clueRoot,
    @Nullable TrieView clues,
    Governance governance) {
  SealedHead with(TrieView view) {
    return new SealedHead(size, blocks, timeMs, blockHash, root, clueRoot, view, governance);
  }

  public MemberTable members() {
    return governance.members();
  }

  public long height() {
    return blocks - 1;
  }
}

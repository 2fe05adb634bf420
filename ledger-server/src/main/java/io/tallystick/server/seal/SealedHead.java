package io.tallystick.server.seal;

import io.tallystick.journal.Feature;
import io.tallystick.model.Digest;
import io.tallystick.server.world.Governance;
import io.tallystick.server.world.MemberTable;

/// The newest sealed state of a strand, published as a whole, so that a reader sees a consistent
/// state.
///
/// @param size of the tree under the newest seal; 0 before genesis is sealed
/// @param blocks number of sealed blocks
/// @param blockHash leaf hash of the newest seal
/// @param root of the tree of `size` leaves
/// @param clues as the newest seal holds them
/// @param state as the newest seal holds it
/// @param governance after the first `size` leaves
public record SealedHead(
    long size,
    long blocks,
    long timeMs,
    Digest blockHash,
    Digest root,
    SealedIndex clues,
    SealedIndex state,
    Governance governance) {
  /// Before anything is sealed.
  static SealedHead empty(Governance governance) {
    return new SealedHead(
        0,
        0,
        0,
        Digest.ZERO,
        Digest.ZERO,
        SealedIndex.empty(Feature.CLUE_TRIE),
        SealedIndex.empty(Feature.STATE_FOREST),
        governance);
  }

  public SealedIndex index(Feature feature) {
    return switch (feature) {
      case CLUE_TRIE -> clues;
      case STATE_FOREST -> state;
      case MONO, DELEGATED, PERMANENT -> throw SealedIndex.noIndex(feature);
    };
  }

  /// The same head with a view of one of its indexes, which has the index's root.
  public SealedHead with(Feature feature, BlockIndex.View view) {
    SealedIndex viewed = new SealedIndex(index(feature).root(), view);
    return switch (feature) {
      case CLUE_TRIE -> with(viewed, state);
      case STATE_FOREST -> with(clues, viewed);
      case MONO, DELEGATED, PERMANENT -> throw SealedIndex.noIndex(feature);
    };
  }

  private SealedHead with(SealedIndex newClues, SealedIndex newState) {
    return new SealedHead(size, blocks, timeMs, blockHash, root, newClues, newState, governance);
  }

  public MemberTable members() {
    return governance.members();
  }

  public long height() {
    return blocks - 1;
  }
}

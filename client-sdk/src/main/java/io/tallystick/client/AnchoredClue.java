package io.tallystick.client;

import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.head.SignedHead;
import io.tallystick.lineage.LineageEntry;
import java.util.List;
import java.util.Optional;

/// A clue verified from the nearest trusted anchor on: those of its journals that stand above the
/// anchor, and no others, under the head of `block`.
///
/// @param anchor empty if none is set: the journals are all there are
/// @param before how many journals name the clue below the anchor; they are not looked at
public record AnchoredClue(
    String clue,
    VerifiedBlock block,
    Optional<SignedHead> anchor,
    long before,
    List<LineageEntry> journals) {
  public AnchoredClue {
    journals = List.copyOf(journals);
  }

  /// Under which the journals are proven to be all.
  public SignedHead head() {
    return block.head();
  }
}

package io.tallystick.client.lineage;

import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.head.SignedHead;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.model.TreeSize;
import java.util.List;

/// The journals of a log that name a clue: these and no others, as the trie under a trusted head
/// says. Verified; that the trie under that head is the right one is what an audit of the ledger
/// shows.
///
/// @param block under whose head the proofs are
/// @param state of the clue under that head
/// @param size of the log that the entries are all of: that of the head, or of an older block
/// @param entries ascending by jsn; empty if the clue was not used
public record ClueLineage(
    String clue, VerifiedBlock block, ClueState state, TreeSize size, List<LineageEntry> entries) {
  public ClueLineage {
    entries = List.copyOf(entries);
  }

  /// Under which the proofs are.
  public SignedHead head() {
    return block.head();
  }
}

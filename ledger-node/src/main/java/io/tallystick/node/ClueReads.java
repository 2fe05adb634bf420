package io.tallystick.node;

import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;

/// Reads of clues, each with its proof. {@link LedgerNode} says what the refusals mean.
public interface ClueReads extends NodeDoor {
  /// The entry of a clue in the trie under the newest head.
  default ProvenClue clue(StrandId strand, Digest clueId) throws RequestRejectedException {
    return ask(new ClueRead.Clue(strand, clueId));
  }

  /// A page of a clue's journals, proven to follow each other in it.
  ///
  /// @throws RequestRejectedException `CLUE_DELETED` with the jsn of the journal that deleted it;
  ///   `EXPIRED` for the head of an earlier page that is not at hand any more
  default ProvenLineage lineage(StrandId strand, LineageQuery query)
      throws RequestRejectedException {
    return ask(new ClueRead.Lineage(strand, query));
  }

  /// That a journal is one of a clue's.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if it does not name the clue
  default ProvenLineage membership(StrandId strand, Digest clueId, long jsn)
      throws RequestRejectedException {
    return ask(new ClueRead.Membership(strand, clueId, jsn));
  }
}

package io.tallystick.lineage;

import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestHeader;

/// One journal of a clue. Made only by verifying a {@link LineageProof}.
public record LineageEntry(JournalLeaf leaf, RequestHeader header) {
  public long jsn() {
    return leaf.jsn().value();
  }

  /// Whether it deletes the clue: from here on the clue is not listed, until it is used again.
  public boolean deletesClue() {
    return header.kind() == Kind.CLUE_DELETE;
  }
}

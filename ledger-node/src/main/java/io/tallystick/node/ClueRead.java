package io.tallystick.node;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;

/// The questions of {@link ClueReads}, where each is described.
public sealed interface ClueRead<R> extends NodeRead<R> {
  StrandId strand();

  /// {@link ClueReads#clue}.
  record Clue(StrandId strand, Digest clueId) implements ClueRead<ProvenClue> {}

  /// {@link ClueReads#lineage}.
  record Lineage(StrandId strand, LineageQuery query) implements ClueRead<ProvenLineage> {}

  /// {@link ClueReads#membership}.
  record Membership(StrandId strand, Digest clueId, long jsn) implements ClueRead<ProvenLineage> {}
}

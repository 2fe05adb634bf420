package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerPurges.FilePart;

/// The questions of {@link LedgerPurges}, where each is described.
public sealed interface PurgeRead<R> extends NodeRead<R> {
  StrandId strand();

  /// {@link LedgerPurges#pseudoGenesis}.
  record PseudoGenesis(StrandId strand) implements PurgeRead<Bytes> {}

  /// {@link LedgerPurges#window}.
  record Window(StrandId strand) implements PurgeRead<Bytes> {}

  /// {@link LedgerPurges#clues}.
  record Clues(StrandId strand, long firstKept, long offset, int bytesMax)
      implements PurgeRead<FilePart> {}

  /// {@link LedgerPurges#state}.
  record State(StrandId strand, long firstKept, long offset, int bytesMax)
      implements PurgeRead<FilePart> {}
}

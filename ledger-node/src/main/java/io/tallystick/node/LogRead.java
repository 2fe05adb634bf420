package io.tallystick.node;

import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.tile.TileBundle;

/// The questions of {@link LogReads}, where each is described.
public sealed interface LogRead<R> extends NodeRead<R> {
  StrandId strand();

  /// {@link LogReads#journal}.
  record Journal(StrandId strand, long jsn, boolean withBody) implements LogRead<JournalView> {}

  /// {@link LogReads#provenJournal}.
  record Proven(StrandId strand, long jsn, long size) implements LogRead<ProvenJournal> {}

  /// {@link LogReads#newestSize}.
  record NewestSize(StrandId strand) implements LogRead<Long> {}

  /// {@link LogReads#bundle}.
  record Bundle(StrandId strand, TileBundle kind, long from, long to)
      implements LogRead<BundlePiece> {}

  /// {@link LogReads#rangeReceipt}.
  record RangeReceipt(StrandId strand, long firstJsn, int count) implements LogRead<Bytes> {}

  /// {@link LogReads#receipt}.
  record Receipt(StrandId strand, long jsn) implements LogRead<Bytes> {}

  /// {@link LogReads#inclusion}.
  record Inclusion(StrandId strand, long jsn, long size) implements LogRead<ProvenLeaf> {}

  /// {@link LogReads#consistency}.
  record Consistency(StrandId strand, long fromSize, long toSize)
      implements LogRead<ConsistencyProof> {}

  /// {@link LogReads#tile}.
  record Tile(StrandId strand, int level, long first, int count) implements LogRead<Bytes> {}

  /// {@link LogReads#blockAt}.
  record BlockAt(StrandId strand, long height) implements LogRead<BlockView> {}

  /// {@link LogReads#newestBlock}.
  record NewestBlock(StrandId strand) implements LogRead<BlockView> {}

  /// {@link LogReads#blockOf}.
  record BlockOf(StrandId strand, long jsn) implements LogRead<BlockView> {}

  /// {@link LogReads#checkpoint}.
  record Checkpoint(StrandId strand) implements LogRead<Bytes> {}

  /// {@link LogReads#erasure}.
  record Erased(StrandId strand, long jsn) implements LogRead<Erasure> {}

  /// {@link LogReads#removalCertificate}.
  record Certificate(StrandId strand, long jsn) implements LogRead<Bytes> {}
}

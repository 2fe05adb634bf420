package io.tallystick.node;

import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.tile.TileBundle;

/// Reads of logs and proofs about them, of what is sealed and signed. {@link LedgerNode} says what
/// the refusals mean.
public interface LogReads {
  /// @param withBody whether salt and body are read too; then a journal that a purge removed is
  ///   refused, also while its leaf is still there
  JournalView journal(StrandId strand, long jsn, boolean withBody) throws RequestRejectedException;

  /// A journal, its body included, and the proof that its leaf is in the tree of `size`.
  ///
  /// @param size 0: the newest signed size
  ProvenJournal provenJournal(StrandId strand, long jsn, long size) throws RequestRejectedException;

  /// The newest signed size.
  long newestSize(StrandId strand) throws RequestRejectedException;

  /// Walks leaves `[from, to)` in order, as far as the visitor wants; `to` is at most the newest
  /// signed size. Below a purge those come whose leaves are still there, without bodies: they are
  /// evidence.
  void readLog(StrandId strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws RequestRejectedException;

  /// The same for who reads journals: a walk that begins below a purge is refused.
  default void readJournals(
      StrandId strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws RequestRejectedException {
    readLog(strand, from, to, withBodies, visitor);
  }

  /// Items of leaves `[from, to)` as a bundle of the public read path has them, or the first of
  /// them, at least one: a piece has less than 2 MiB.
  ///
  /// @param kind of a ledger's bundles
  /// @param to at most the newest signed size, and not behind the end of the file that `from` is in
  /// @throws RequestRejectedException `DAMAGED` too, naming the jsn
  BundlePiece bundle(StrandId strand, TileBundle kind, long from, long to)
      throws RequestRejectedException;

  /// The range receipt of `[firstJsn, firstJsn + count)`, which must lie in one block.
  byte[] rangeReceipt(StrandId strand, long firstJsn, int count) throws RequestRejectedException;

  /// The COSE receipt of one leaf under the head of its own block.
  byte[] receipt(StrandId strand, long jsn) throws RequestRejectedException;

  /// The leaf hash of a journal, as the tree has it, and the proof that it is in the tree of
  /// `size`. The journal itself is not read.
  ///
  /// @param size 0: the newest signed size
  ProvenLeaf inclusion(StrandId strand, long jsn, long size) throws RequestRejectedException;

  /// @param toSize 0: the newest signed size
  ConsistencyProof consistency(StrandId strand, long fromSize, long toSize)
      throws RequestRejectedException;

  /// Hashes `[first, first + count)` of complete subtrees of `256^level` leaves below the newest
  /// signed size, 32 bytes each: a tile of C2SP tlog-tiles, or the beginning of one.
  ///
  /// @param count 1 to 256; `first` is a multiple of 256
  byte[] tile(StrandId strand, int level, long first, int count) throws RequestRejectedException;

  BlockView blockAt(StrandId strand, long height) throws RequestRejectedException;

  BlockView newestBlock(StrandId strand) throws RequestRejectedException;

  BlockView blockOf(StrandId strand, long jsn) throws RequestRejectedException;

  /// The newest signed head as a C2SP checkpoint (signed note, UTF-8).
  byte[] checkpoint(StrandId strand) throws RequestRejectedException;

  /// By which removal the body of a journal was erased.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if it is not erased
  Erasure erasure(StrandId strand, long jsn) throws RequestRejectedException;

  /// The certificate that can be shown to whom a removal concerns: the encoded {@link
  /// io.tallystick.removal.RemovalCertificate}.
  ///
  /// @param jsn of the removal, or of a journal that it erased
  /// @throws RequestRejectedException `OUT_OF_RANGE` if it is neither; `UNAVAILABLE` until all that
  ///   the removal names is erased; `PURGED` if the leaves that an occult's shows are gone
  Bytes removalCertificate(StrandId strand, long jsn) throws RequestRejectedException;
}

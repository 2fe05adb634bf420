package io.tallystick.node;

import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.tile.TileBundle;

/// Reads of logs and proofs about them, of what is sealed and signed. {@link LedgerNode} says what
/// the refusals mean.
public interface LogReads extends NodeDoor {
  /// @param withBody whether salt and body are read too; then a journal that a purge removed is
  ///   refused, also while its leaf is still there
  default JournalView journal(StrandId strand, long jsn, boolean withBody)
      throws RequestRejectedException {
    return ask(new LogRead.Journal(strand, jsn, withBody));
  }

  /// A journal, its body included, and the proof that its leaf is in the tree of `size`.
  ///
  /// @param size 0: the newest signed size
  default ProvenJournal provenJournal(StrandId strand, long jsn, long size)
      throws RequestRejectedException {
    return ask(new LogRead.Proven(strand, jsn, size));
  }

  /// The newest signed size.
  default long newestSize(StrandId strand) throws RequestRejectedException {
    return ask(new LogRead.NewestSize(strand));
  }

  /// Walks leaves `[from, to)` in order, as far as the visitor wants; `to` is at most the newest
  /// signed size. Below a purge those come whose leaves are still there, without bodies: they are
  /// evidence.
  default void readLog(StrandId strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws RequestRejectedException {
    readLog(new LogRange(strand, from, to, withBodies, false), visitor);
  }

  /// The same for who reads journals: a walk that begins below a purge is refused.
  default void readJournals(
      StrandId strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws RequestRejectedException {
    readLog(new LogRange(strand, from, to, withBodies, true), visitor);
  }

  /// The one walk behind both.
  void readLog(LogRange range, LogVisitor visitor) throws RequestRejectedException;

  /// Items of leaves `[from, to)` as a bundle of the public read path has them, or the first of
  /// them, at least one: a piece has less than 2 MiB.
  ///
  /// @param kind of a ledger's bundles
  /// @param to at most the newest signed size, and not behind the end of the file that `from` is in
  /// @throws RequestRejectedException `DAMAGED` too, naming the jsn
  default BundlePiece bundle(StrandId strand, TileBundle kind, long from, long to)
      throws RequestRejectedException {
    return ask(new LogRead.Bundle(strand, kind, from, to));
  }

  /// The range receipt of `[firstJsn, firstJsn + count)`, which must lie in one block.
  default byte[] rangeReceipt(StrandId strand, long firstJsn, int count)
      throws RequestRejectedException {
    return ask(new LogRead.RangeReceipt(strand, firstJsn, count)).toArray();
  }

  /// The COSE receipt of one leaf under the head of its own block.
  default byte[] receipt(StrandId strand, long jsn) throws RequestRejectedException {
    return ask(new LogRead.Receipt(strand, jsn)).toArray();
  }

  /// The leaf hash of a journal, as the tree has it, and the proof that it is in the tree of
  /// `size`. The journal itself is not read.
  ///
  /// @param size 0: the newest signed size
  default ProvenLeaf inclusion(StrandId strand, long jsn, long size)
      throws RequestRejectedException {
    return ask(new LogRead.Inclusion(strand, jsn, size));
  }

  /// @param toSize 0: the newest signed size
  default ConsistencyProof consistency(StrandId strand, long fromSize, long toSize)
      throws RequestRejectedException {
    return ask(new LogRead.Consistency(strand, fromSize, toSize));
  }

  /// Hashes `[first, first + count)` of complete subtrees of `256^level` leaves below the newest
  /// signed size, 32 bytes each: a tile of C2SP tlog-tiles, or the beginning of one.
  ///
  /// @param count 1 to 256; `first` is a multiple of 256
  default byte[] tile(StrandId strand, int level, long first, int count)
      throws RequestRejectedException {
    return ask(new LogRead.Tile(strand, level, first, count)).toArray();
  }

  default BlockView blockAt(StrandId strand, long height) throws RequestRejectedException {
    return ask(new LogRead.BlockAt(strand, height));
  }

  default BlockView newestBlock(StrandId strand) throws RequestRejectedException {
    return ask(new LogRead.NewestBlock(strand));
  }

  default BlockView blockOf(StrandId strand, long jsn) throws RequestRejectedException {
    return ask(new LogRead.BlockOf(strand, jsn));
  }

  /// The newest signed head as a C2SP checkpoint (signed note, UTF-8).
  default byte[] checkpoint(StrandId strand) throws RequestRejectedException {
    return ask(new LogRead.Checkpoint(strand)).toArray();
  }

  /// By which removal the body of a journal was erased.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if it is not erased
  default Erasure erasure(StrandId strand, long jsn) throws RequestRejectedException {
    return ask(new LogRead.Erased(strand, jsn));
  }

  /// The certificate that can be shown to whom a removal concerns: the encoded {@link
  /// io.tallystick.removal.RemovalCertificate}.
  ///
  /// @param jsn of the removal, or of a journal that it erased
  /// @throws RequestRejectedException `OUT_OF_RANGE` if it is neither; `UNAVAILABLE` until all that
  ///   the removal names is erased; `PURGED` if the leaves that an occult's shows are gone
  default Bytes removalCertificate(StrandId strand, long jsn) throws RequestRejectedException {
    return ask(new LogRead.Certificate(strand, jsn));
  }
}

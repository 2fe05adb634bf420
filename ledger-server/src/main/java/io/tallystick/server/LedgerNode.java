package io.tallystick.server;

import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.tile.TileBundle;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A host of shards, as a proxy sees it. All sizes and jsns refer to what is sealed and signed: a
/// journal that is committed but not yet sealed is not readable. Thread-safe; every method may
/// block on a disk.
///
/// Refusals are {@link RequestRejectedException}: `UNKNOWN_LEDGER` for any ledger this node does
/// not hold, `OUT_OF_RANGE` for a jsn or height that does not exist yet, `FUTURE_SIZE` for a size
/// beyond the newest head, `UNAVAILABLE` when the shard has stopped.
public interface LedgerNode extends AutoCloseable {
  ServiceIdentity identity();

  /// The service's clock, milliseconds since the epoch.
  long timeMs();

  /// What the clock of the node's machine says; behind {@link #timeMs} after it was set back.
  default long clockMs() {
    return timeMs();
  }

  /// Founds a ledger, or answers the one that exists with the same ledgerId.
  ///
  /// @throws RequestRejectedException `WRONG_AUTHORITY` when authority or service keys are not
  ///   ours, `EXPIRED` or `TOO_EARLY` when createdMs is more than 30 s off, `FEATURE_NOT_ENABLED`
  CreatedLedger createLedger(Founding founding) throws RequestRejectedException;

  LedgerView ledger(LedgerId id) throws RequestRejectedException;

  /// Ledgers that `filter` lets through, with an id greater than `after` (null: from the first),
  /// ascending.
  List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter);

  /// Members as of the newest sealed journal, revoked ones included.
  MembersView members(LedgerId id) throws RequestRejectedException;

  /// Whether this node holds a ledger of that id that anybody may read. Never touches a disk.
  boolean isPublic(LedgerId id);

  /// Who is or was a member as of the newest committed journal; whether it may sign is the
  /// sequencer's decision.
  Optional<Member> member(LedgerId id, Digest kid) throws RequestRejectedException;

  /// Hands verified submissions to the sequencer, which takes them in this order. Refusals arrive
  /// through the waiters, also `RATE_LIMITED` when too much is admitted already.
  ///
  /// @param following how many more the caller has taken in and will hand over, or refuse, soon: a
  ///   hint that a block may wait for them, a few milliseconds at most
  void append(List<Appending> submissions, int following);

  /// The same for one that is waited for alone.
  ///
  /// @throws RequestRejectedException if it is refused at once
  default AppendTicket append(VerifiedSubmission submission) throws RequestRejectedException {
    AppendTicket ticket = AppendTicket.open();
    append(List.of(new Appending(submission, ticket)), 0);
    ticket.throwIfRefused();
    return ticket;
  }

  /// @param withBody whether salt and body are read too
  JournalView journal(StrandId strand, long jsn, boolean withBody) throws RequestRejectedException;

  /// A journal, its body included, and the proof that its leaf is in the tree of `size`.
  ///
  /// @param size 0: the newest signed size
  ProvenJournal provenJournal(StrandId strand, long jsn, long size) throws RequestRejectedException;

  /// Walks leaves `[from, to)` in order; `to` is at most the newest signed size. The visitor may
  /// throw to stop.
  void readLog(StrandId strand, long from, long to, boolean withBodies, LogVisitor visitor)
      throws RequestRejectedException;

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

  /// @param size 0: the newest signed size
  InclusionProof inclusion(StrandId strand, long jsn, long size) throws RequestRejectedException;

  /// @param toSize 0: the newest signed size
  ConsistencyProof consistency(StrandId strand, long fromSize, long toSize)
      throws RequestRejectedException;

  /// Hashes `[first, first + count)` of complete subtrees of `256^level` leaves below the newest
  /// signed size, 32 bytes each: a tile of C2SP tlog-tiles, or the beginning of one.
  ///
  /// @param count 1 to 256; `first` is a multiple of 256
  byte[] tile(StrandId strand, int level, long first, int count) throws RequestRejectedException;

  /// What the trie under the newest head says of a clue.
  ProvenClue clue(StrandId strand, Digest clueId) throws RequestRejectedException;

  /// A page of a clue's journals, proven to follow each other in it.
  ///
  /// @throws RequestRejectedException `CLUE_DELETED` with the jsn of the journal that deleted it;
  ///   `EXPIRED` for the head of an earlier page that is not at hand any more
  ProvenLineage lineage(StrandId strand, LineageQuery query) throws RequestRejectedException;

  /// That a journal is one of a clue's.
  ///
  /// @throws RequestRejectedException `OUT_OF_RANGE` if it does not name the clue
  ProvenLineage membership(StrandId strand, Digest clueId, long jsn)
      throws RequestRejectedException;

  BlockView blockAt(StrandId strand, long height) throws RequestRejectedException;

  BlockView newestBlock(StrandId strand) throws RequestRejectedException;

  BlockView blockOf(StrandId strand, long jsn) throws RequestRejectedException;

  /// The newest signed head as a C2SP checkpoint (signed note, UTF-8).
  byte[] checkpoint(StrandId strand) throws RequestRejectedException;

  /// Whether appends are accepted, and if not, why.
  NodeHealth health();

  @Override
  void close();
}

package io.tallystick.node;

import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The ledgers that a node holds, and their members. {@link LedgerNode} says what the refusals
/// mean.
public interface LedgerDirectory {
  /// Founds a ledger, or answers the one that exists with the same ledgerId.
  ///
  /// @throws RequestRejectedException `WRONG_AUTHORITY` when authority or service keys are not
  ///   ours, `EXPIRED` or `TOO_EARLY` when createdMs is more than 30 s off, `FEATURE_NOT_ENABLED`
  CreatedLedger createLedger(Founding founding) throws RequestRejectedException;

  LedgerView ledger(LedgerId id) throws RequestRejectedException;

  /// @throws RequestRejectedException `PURGED`, with the jsn of the purge, if the ledger was
  ///   deleted: closed, and purged with the journal that closed it. Its limit is the first jsn kept
  default void checkNotDeleted(LedgerId id) throws RequestRejectedException {}

  /// Ledgers that `filter` lets through, with an id greater than `after` (null: from the first),
  /// ascending.
  List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter);

  /// Members as of the newest sealed journal, revoked ones included.
  MembersView members(LedgerId id) throws RequestRejectedException;

  /// The keys by which a ledger's heads are judged, each by its size, as of the newest sealed
  /// journal: those of genesis and of each rotation since.
  ServiceKeys serviceKeys(LedgerId id) throws RequestRejectedException;

  /// The evidence for {@link #serviceKeys}; empty if they were never rotated.
  KeyChain keyChain(LedgerId id) throws RequestRejectedException;

  /// Whether this node holds a ledger of that id that anybody may read. Never touches a disk.
  boolean isPublic(LedgerId id);

  /// The member with this key, present or past, as of the newest committed journal. The sequencer
  /// decides whether it may sign.
  Optional<Member> member(LedgerId id, Digest kid) throws RequestRejectedException;
}

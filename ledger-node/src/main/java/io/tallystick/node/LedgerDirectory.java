package io.tallystick.node;

import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The ledgers that a node holds, and their members. {@link LedgerNode} says what the refusals
/// mean.
public interface LedgerDirectory extends NodeDoor {
  /// Founds a ledger, or answers the one that exists with the same ledgerId.
  ///
  /// @throws RequestRejectedException `WRONG_AUTHORITY` when authority or service keys are not
  ///   ours, `EXPIRED` or `TOO_EARLY` when createdMs is more than 30 s off, `FEATURE_NOT_ENABLED`
  default CreatedLedger createLedger(Founding founding) throws RequestRejectedException {
    return change(new NodeChange.Found(founding));
  }

  default LedgerView ledger(LedgerId id) throws RequestRejectedException {
    return ask(new LedgerRead.Ledger(id));
  }

  /// @throws RequestRejectedException `PURGED`, with the jsn of the purge, if the ledger was
  ///   deleted: closed, and purged with the journal that closed it. Its limit is the first jsn kept
  default void checkNotDeleted(LedgerId id) throws RequestRejectedException {
    Done _ = ask(new LedgerRead.NotDeleted(id));
  }

  /// Ledgers that `filter` lets through, with an id greater than `after` (null: from the first),
  /// ascending.
  default List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter)
      throws RequestRejectedException {
    return ask(new LedgerRead.Ledgers(Optional.ofNullable(after), limit, filter));
  }

  /// Ledgers that are here.
  default long ledgerCount() throws RequestRejectedException {
    return ask(new LedgerRead.Count());
  }

  /// Members as of the newest sealed journal, revoked ones included.
  default MembersView members(LedgerId id) throws RequestRejectedException {
    return ask(new LedgerRead.Members(id));
  }

  /// The keys by which a ledger's heads are judged, each by its size, as of the newest sealed
  /// journal: those of genesis and of each rotation since.
  default ServiceKeys serviceKeys(LedgerId id) throws RequestRejectedException {
    return ask(new LedgerRead.Keys(id));
  }

  /// The evidence for {@link #serviceKeys}; empty if they were never rotated.
  default KeyChain keyChain(LedgerId id) throws RequestRejectedException {
    return ask(new LedgerRead.Chain(id));
  }

  /// Whether this node holds a ledger of that id that anybody may read. Never touches a disk.
  default boolean isPublic(LedgerId id) throws RequestRejectedException {
    return ask(new LedgerRead.IsPublic(id));
  }

  /// The member with this key, present or past, as of the newest committed journal. The sequencer
  /// decides whether it may sign.
  default Optional<Member> member(LedgerId id, Digest kid) throws RequestRejectedException {
    return ask(new LedgerRead.FindMember(id, kid));
  }

  /// As {@link #member}, to verify a signature with the key before the sequencer decides: of a
  /// member that is known here also while others may have written the ledger.
  default Optional<Member> signer(LedgerId id, Digest kid) throws RequestRejectedException {
    return ask(new LedgerRead.FindSigner(id, kid));
  }

  /// Refuses a request that its ledger takes no more, whoever signs it, as the ledger would. What
  /// is not refused may be all the same, when it comes: of an occult by a clue, the lowest 1,000
  /// journals are looked at.
  ///
  /// @throws RequestRejectedException `PURGED`, `ALREADY_OCCULTED`, `LEDGER_CLOSED`
  default void checkPossible(RequestHeader header) throws RequestRejectedException {
    Done _ = ask(new LedgerRead.Possible(header));
  }
}

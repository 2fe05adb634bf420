package io.tallystick.node;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The proposals that a node keeps until they expire, ledger by ledger, also over a restart. It
/// stores and bounds them; what may stand in them, and when one is submitted, the caller decides.
/// Thread-safe; every method may block on a disk.
///
/// A proposal that an owner has signed is an owner's. Any other takes one of the places of each
/// member that signed it. One whose signers may all sign no more is gone.
///
/// Refusals are {@link RequestRejectedException}: `UNAVAILABLE`, `STORAGE_FULL` and `DAMAGED` when
/// the store fails.
public interface OpenProposals {
  /// Proposals of one ledger, whatever their outcome. For a further one a committed proposal is
  /// dropped, if there is one.
  int PER_LEDGER_MAX = 1_000;

  /// Places of a ledger that only an owner's proposals take.
  int KEPT_FOR_OWNERS = 100;

  /// That wait in one ledger with the signature of one member, and of no owner.
  int PER_MEMBER_MAX = 16;

  /// Empty also for one that has expired.
  Optional<KeptProposal> find(LedgerId ledger, Digest requestHash) throws RequestRejectedException;

  /// Those with a hash greater than `after` (null: from the first), ascending.
  List<KeptProposal> list(LedgerId ledger, @Nullable Digest after, int limit)
      throws RequestRejectedException;

  /// Puts `after` in the place of `before`, durably, if that is what is kept.
  ///
  /// @param before null if none is expected
  /// @param after of the same request
  /// @return whether it was; if not, nothing has changed
  /// @throws RequestRejectedException `TOO_MANY_PROPOSALS` if the ledger has no place for one more,
  ///   or a member that now signs has none
  boolean replace(@Nullable KeptProposal before, KeptProposal after)
      throws RequestRejectedException;

  /// Forgets a proposal that waits for signatures or was refused.
  ///
  /// @return whether it was kept so; if not, nothing has changed
  boolean remove(KeptProposal kept) throws RequestRejectedException;

  /// Those of all ledgers whose outcome is not known yet.
  List<KeptProposal> submitting() throws RequestRejectedException;

  /// Forgets those that have expired, and those whose signers may all sign no more.
  void dropGone() throws RequestRejectedException;

  /// How many wait for signatures, in all ledgers.
  long openCount() throws RequestRejectedException;
}

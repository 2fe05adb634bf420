package io.tallystick.node;

import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import java.util.List;
import java.util.Optional;

/// The questions of {@link LedgerDirectory}, where each is described.
public sealed interface LedgerRead<R> extends NodeRead<R> {
  /// {@link LedgerDirectory#ledger}.
  record Ledger(LedgerId id) implements LedgerRead<LedgerView> {}

  /// {@link LedgerDirectory#checkNotDeleted}.
  record NotDeleted(LedgerId id) implements LedgerRead<Done> {}

  /// {@link LedgerDirectory#ledgers}.
  ///
  /// @param after empty: from the first
  record Ledgers(Optional<LedgerId> after, int limit, LedgerFilter filter)
      implements LedgerRead<List<LedgerView>> {}

  /// Ids of all ledgers that were ever founded, deleted ones too, ascending.
  ///
  /// @param after empty: from the first
  record Founded(Optional<LedgerId> after, int limit) implements LedgerRead<List<LedgerId>> {}

  /// {@link LedgerDirectory#ledgerCount}.
  record Count() implements LedgerRead<Long> {}

  /// The newest frame that the shard's owner knows to be durable: all that was acknowledged before
  /// the question is in it or before it. It is asked of one shard, and names no ledger.
  record NewestFrame() implements LedgerRead<Long> {}

  /// {@link LedgerDirectory#members}.
  record Members(LedgerId id) implements LedgerRead<MembersView> {}

  /// {@link LedgerDirectory#serviceKeys}.
  record Keys(LedgerId id) implements LedgerRead<ServiceKeys> {}

  /// {@link LedgerDirectory#keyChain}.
  record Chain(LedgerId id) implements LedgerRead<KeyChain> {}

  /// {@link LedgerDirectory#isPublic}.
  record IsPublic(LedgerId id) implements LedgerRead<Boolean> {}

  /// {@link LedgerDirectory#member}.
  record FindMember(LedgerId id, Digest kid) implements LedgerRead<Optional<Member>> {}

  /// {@link LedgerDirectory#signer}.
  record FindSigner(LedgerId id, Digest kid) implements LedgerRead<Optional<Member>> {}

  /// {@link LedgerDirectory#checkPossible}.
  record Possible(RequestHeader header) implements LedgerRead<Done> {}
}

package io.tallystick.node;

import io.tallystick.journal.RequestHeader;
import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.util.Optional;

/// A host of shards as proxy and master see it, in this process or behind a wire. All sizes and
/// jsns refer to what is sealed and signed: a journal that is committed but not yet sealed is not
/// readable. Thread-safe; every method may block on a disk.
///
/// Refusals are {@link RequestRejectedException}: `UNKNOWN_LEDGER` for any ledger this node does
/// not hold, `OUT_OF_RANGE` for a jsn or height that does not exist yet, `FUTURE_SIZE` for a size
/// beyond the newest head, `UNAVAILABLE` when the shard has stopped.
public interface LedgerNode
    extends LedgerDirectory, LedgerAppends, LogReads, ClueReads, StateReads, AutoCloseable {
  ServiceIdentity identity();

  /// The service's clock, milliseconds since the epoch.
  long timeMs();

  /// The time of the clock of the node's machine; behind {@link #timeMs} after it was set back.
  default long clockMs() {
    return timeMs();
  }

  /// Ledgers that are here.
  default long ledgerCount() {
    return ledgers(null, Integer.MAX_VALUE, new LedgerFilter.All()).size();
  }

  /// Whether appends are accepted, and if not, why.
  NodeHealth health();

  /// Where tokens of time authorities are journalled, if this node takes them.
  default Optional<TimeJournals> timeJournals() {
    return Optional.empty();
  }

  /// The proposals of its ledgers, if this node keeps any; to be asked for each use.
  default Optional<OpenProposals> openProposals() {
    return Optional.empty();
  }

  /// Refuses a request that its ledger takes no more, whoever signs it, as the ledger would. What
  /// is not refused may be all the same, when it comes: of an occult by a clue, the lowest 1,000
  /// journals are looked at.
  ///
  /// @throws RequestRejectedException `PURGED`, `ALREADY_OCCULTED`, `LEDGER_CLOSED`
  default void checkPossible(RequestHeader header) throws RequestRejectedException {}

  /// The trusted anchors that members share, if this node keeps any; to be asked for each use.
  default Optional<KeptAnchors> keptAnchors() {
    return Optional.empty();
  }

  /// The certificates that members show, if this node keeps any; to be asked for each use.
  default Optional<MemberCertificates> memberCertificates() {
    return Optional.empty();
  }

  /// The calls that purges need, if this node carries any out.
  default Optional<LedgerPurges> purges() {
    return Optional.empty();
  }

  @Override
  void close() throws IOException;
}

package io.tallystick.node;

import io.tallystick.model.RequestRejectedException;
import java.io.IOException;
import java.util.Optional;

/// A host of shards as proxy and master see it, in this process or behind a wire. All sizes and
/// jsns refer to what is sealed and signed: a journal that is committed but not yet sealed is not
/// readable. Thread-safe; every method may block on a disk, but {@link #identity}, {@link #timeMs},
/// {@link #clockMs} and {@link #health}.
///
/// A body of a node has four methods of use, {@link #ask}, {@link #change}, {@link #append} and
/// {@link #readLog(LogRange, LogVisitor)}; all others make questions for those.
///
/// Refusals are {@link RequestRejectedException}: `UNKNOWN_LEDGER` for any ledger this node does
/// not hold, `OUT_OF_RANGE` for a jsn or height that does not exist yet, `FUTURE_SIZE` for a size
/// beyond the newest head, `UNAVAILABLE` when the shard has stopped or cannot be reached.
public interface LedgerNode
    extends LedgerDirectory, LedgerAppends, LogReads, ClueReads, StateReads, AutoCloseable {
  ServiceIdentity identity();

  /// The service's clock, milliseconds since the epoch.
  long timeMs();

  /// The time of the clock of the node's machine; behind {@link #timeMs} after it was set back.
  default long clockMs() {
    return timeMs();
  }

  /// Whether appends are accepted, and if not, why.
  NodeHealth health();

  /// Where tokens of time authorities are journalled, if this node takes them.
  default Optional<TimeJournals> timeJournals() {
    return Optional.of(new AskedTimes(this));
  }

  /// The proposals of its ledgers, if this node keeps any.
  default Optional<OpenProposals> openProposals() {
    return Optional.of(new AskedProposals(this));
  }

  /// The trusted anchors that members share, if this node keeps any.
  default Optional<KeptAnchors> keptAnchors() {
    return Optional.of(new AskedAnchors(this));
  }

  /// The certificates that members show, if this node keeps any.
  default Optional<MemberCertificates> memberCertificates() {
    return Optional.of(new AskedCertificates(this));
  }

  /// The calls that purges need, if this node carries any out.
  default Optional<LedgerPurges> purges() {
    return Optional.of(new AskedPurges(this));
  }

  @Override
  void close() throws IOException;
}

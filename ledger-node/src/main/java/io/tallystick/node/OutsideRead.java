package io.tallystick.node;

import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import java.util.List;
import java.util.Optional;

/// Questions about what proxies and the leading master of a cluster tell each other through a
/// shard's owner: heads for which a member wants a time now, and heads as witnesses have cosigned
/// them. It is kept in memory for a while, where nothing else is said; whoever needs it tells it
/// again.
public sealed interface OutsideRead<R> extends NodeRead<R> {
  /// The strands whose newest head is to get a time now.
  record WantedTimes() implements OutsideRead<List<StrandId>> {}

  /// The reason why the newest head that was wanted gets no time; empty while it may.
  record WhyNoTime(StrandId strand) implements OutsideRead<Optional<TimeRefusal>> {}

  /// The marks that make a ledger read-only; none: it is not. Kept until they are lifted.
  record Marks(LedgerId ledger) implements OutsideRead<List<ReadOnlyMark>> {}

  /// How many ledgers are marked.
  record MarkedCount() implements OutsideRead<Long> {}

  /// The newest head that enough witnesses have cosigned, with their lines.
  record Cosigned(StrandId strand) implements OutsideRead<Optional<Bytes>> {}
}

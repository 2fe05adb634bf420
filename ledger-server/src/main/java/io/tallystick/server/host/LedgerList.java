package io.tallystick.server.host;

import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerDirectory;
import io.tallystick.node.LedgerFilter;
import io.tallystick.node.LedgerView;
import io.tallystick.server.seal.SealedHead;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.sequencer.StrandHead;
import io.tallystick.server.shard.Shard;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The ledgers of a shard. Thread-safe.
final class LedgerList {
  private final Shard shard;
  private final StrandReads strands;

  LedgerList(Shard shard, StrandReads strands) {
    this.shard = shard;
    this.strands = strands;
  }

  LedgerView ledger(LedgerId id) throws RequestRejectedException {
    return strands.read(new StrandId(id, 0), LedgerList::view);
  }

  private static LedgerView view(StrandIndex strand) {
    SealedHead head = strand.head();
    var ledger = strand.ledger();
    return new LedgerView(
        ledger.id(),
        head.governance().deleted() ? "" : ledger.name().name(),
        ledger.params().origin(strand.strand().strand()),
        ledger.paramsBytes(),
        head.size(),
        head.height(),
        head.timeMs());
  }

  /// See {@link LedgerDirectory#checkNotDeleted}.
  void checkNotDeleted(LedgerId id) throws RequestRejectedException {
    strands.<Boolean>read(
        new StrandId(id, 0),
        strand -> {
          strand.head().governance().checkNotDeleted();
          return true;
        });
  }

  List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter) {
    // A ledger whose genesis is not sealed yet is no answer, and must not shorten a page either.
    return shard.sequencer().ledgers(after).stream()
        .filter(id -> admits(filter, id))
        .map(id -> viewOrNothing(id, filter instanceof LedgerFilter.Knowing))
        .flatMap(Optional::stream)
        .limit(limit)
        .toList();
  }

  private boolean admits(LedgerFilter filter, LedgerId id) {
    StrandHead head = shard.sequencer().head(id);
    return head != null
        && switch (filter) {
          case LedgerFilter.All _ -> true;
          case LedgerFilter.Public _ -> head.ledger().params().isPublic();
          case LedgerFilter.OfMember(Digest kid, long timeMs) -> isMember(head, kid, timeMs);
          case LedgerFilter.Knowing(Digest kid, long timeMs) -> isMember(head, kid, timeMs);
        };
  }

  private static boolean isMember(StrandHead head, Digest kid, long timeMs) {
    return head.members().find(kid).filter(known -> known.currentAt(timeMs)).isPresent();
  }

  /// @param deletedToo whether a deleted ledger is one
  private Optional<LedgerView> viewOrNothing(LedgerId id, boolean deletedToo) {
    try {
      if (!deletedToo) {
        checkNotDeleted(id);
      }
      return Optional.of(ledger(id));
    } catch (RequestRejectedException _) {
      return Optional.empty();
    }
  }
}

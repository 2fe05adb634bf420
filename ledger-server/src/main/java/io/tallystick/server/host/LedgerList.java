package io.tallystick.server.host;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
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

  List<LedgerView> ledgers(@Nullable LedgerId after, int limit, LedgerFilter filter) {
    // A ledger whose genesis is not sealed yet is no answer, and must not shorten a page either.
    return shard.sequencer().ledgers(after).stream()
        .filter(id -> admits(filter, id))
        .map(this::viewOrNothing)
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
          case LedgerFilter.OfMember member ->
              head.members()
                  .find(member.kid())
                  .filter(known -> known.currentAt(member.timeMs()))
                  .isPresent();
        };
  }

  private Optional<LedgerView> viewOrNothing(LedgerId id) {
    try {
      return Optional.of(ledger(id));
    } catch (RequestRejectedException _) {
      return Optional.empty();
    }
  }
}

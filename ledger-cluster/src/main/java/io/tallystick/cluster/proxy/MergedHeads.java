package io.tallystick.cluster.proxy;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.TimeRead;
import io.tallystick.node.UnanchoredHead;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// The unanchored heads of several shards as one ascending list. Each shard is asked for its part
/// of a page, and again once that is used up: of whole pages all but one in as many as there are
/// shards would be thrown away. Not thread-safe.
final class MergedHeads {
  private static final Comparator<UnanchoredHead> BY_STRAND =
      Comparator.comparing((UnanchoredHead head) -> head.strand().ledger())
          .thenComparingInt(head -> head.strand().strand());

  private final List<Part> parts = new ArrayList<>();
  private final int limit;
  private final int ofOne;
  private RequestRejectedException refusal =
      new RequestRejectedException(RejectionCode.UNAVAILABLE, "no shard has an owner");

  /// What one shard has said so far.
  private static final class Part {
    private final LedgerNode owner;
    private final Deque<UnanchoredHead> heads = new ArrayDeque<>();
    private Optional<StrandId> last;
    private boolean ended;

    Part(LedgerNode owner, Optional<StrandId> after) {
      this.owner = owner;
      this.last = after;
    }

    UnanchoredHead first() {
      return heads.getFirst();
    }
  }

  private MergedHeads(List<LedgerNode> owners, TimeRead.Unanchored read) {
    this.limit = read.limit();
    this.ofOne = Math.min(limit, Math.ceilDiv(limit, Math.max(1, owners.size())) + 1);
    owners.forEach(owner -> parts.add(new Part(owner, read.after())));
  }

  /// Of the shards that answer.
  ///
  /// @throws RequestRejectedException if none of them does
  static List<UnanchoredHead> of(List<LedgerNode> owners, TimeRead.Unanchored read)
      throws RequestRejectedException {
    return new MergedHeads(owners, read).page();
  }

  private List<UnanchoredHead> page() throws RequestRejectedException {
    List<UnanchoredHead> page = new ArrayList<>();
    parts.removeIf(part -> !isAnswered(part));
    if (parts.isEmpty()) {
      throw refusal;
    }
    while (page.size() < limit) {
      parts.removeIf(part -> part.heads.isEmpty() && (part.ended || !isAnswered(part)));
      Optional<Part> next =
          parts.stream()
              .filter(part -> !part.heads.isEmpty())
              .min(Comparator.comparing(Part::first, BY_STRAND));
      if (next.isEmpty()) {
        break;
      }
      page.add(next.get().heads.removeFirst());
    }
    return page;
  }

  /// Asks a shard for what follows.
  private boolean isAnswered(Part part) {
    try {
      List<UnanchoredHead> more = part.owner.ask(new TimeRead.Unanchored(part.last, ofOne));
      part.heads.addAll(more);
      part.ended = more.size() < ofOne;
      if (!more.isEmpty()) {
        part.last = Optional.of(more.getLast().strand());
      }
      return true;
    } catch (RequestRejectedException e) {
      refusal = e;
      return false;
    }
  }
}

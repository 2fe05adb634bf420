package io.tallystick.node;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Time journals as questions to a node.
record AskedTimes(NodeDoor node) implements TimeJournals {
  @Override
  public List<UnanchoredHead> unanchored(@Nullable StrandId after, int limit)
      throws RequestRejectedException {
    return node.ask(new TimeRead.Unanchored(Optional.ofNullable(after), limit));
  }

  @Override
  public NewestHead newest(StrandId strand) throws RequestRejectedException {
    return node.ask(new TimeRead.Newest(strand));
  }

  @Override
  public Optional<StampedHead> stamped(StrandId strand, long size) throws RequestRejectedException {
    return node.ask(new TimeRead.Stamped(strand, size));
  }

  @Override
  public AnchoredAt append(TimeAnchor anchor) throws RequestRejectedException {
    return node.change(new NodeChange.AppendTime(anchor));
  }

  @Override
  public Optional<ProvenTime> lastAt(StrandId strand, long timeMs) throws RequestRejectedException {
    return node.ask(new TimeRead.LastAt(strand, timeMs));
  }
}

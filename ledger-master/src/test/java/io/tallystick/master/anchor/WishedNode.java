package io.tallystick.master.anchor;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.Appending;
import io.tallystick.node.Done;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogRange;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.NodeRead;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.TimeRead;
import io.tallystick.node.TimeRefusal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// A shard's owner that is told which times are wanted, and why one does not come. Its ledgers are
/// {@link MemoryTimeJournals}.
final class WishedNode implements LedgerNode {
  final AtomicInteger failing = new AtomicInteger();
  final AtomicInteger wishesMade = new AtomicInteger();

  private final MemoryTimeJournals journals;
  private final Runnable afterTime;
  private final Map<StrandId, Optional<TimeRefusal>> wishes = new ConcurrentHashMap<>();

  /// @param afterTime done behind each time journal, before it can be read
  WishedNode(MemoryTimeJournals journals, Runnable afterTime) {
    this.journals = journals;
    this.afterTime = afterTime;
  }

  @Override
  @SuppressWarnings("unchecked") // what each case answers is what its record names
  public <R> R ask(NodeRead<R> read) throws RequestRejectedException {
    return (R)
        switch (read) {
          case TimeRead.Newest it -> journals.newest(it.strand());
          case TimeRead.Stamped it -> journals.stamped(it.strand(), it.size());
          case OutsideRead.WantedTimes _ -> wanted();
          case OutsideRead.WhyNoTime it -> wishes.getOrDefault(it.strand(), Optional.empty());
          default -> throw new UnsupportedOperationException("not asked for here: " + read);
        };
  }

  private List<StrandId> wanted() throws RequestRejectedException {
    if (failing.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "as the test says");
    }
    return wishes.entrySet().stream()
        .filter(each -> each.getValue().isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  @Override
  @SuppressWarnings("unchecked") // what each case answers is what its record names
  public <R> R change(NodeChange<R> change) throws RequestRejectedException {
    return (R)
        switch (change) {
          case NodeChange.WantTime it -> {
            wishesMade.incrementAndGet();
            wishes.put(it.strand(), Optional.empty());
            yield Done.DONE;
          }
          case NodeChange.NoTime it -> {
            wishes.put(it.strand(), Optional.of(it.why()));
            yield Done.DONE;
          }
          case NodeChange.AppendTime it -> {
            AnchoredAt landed = journals.append(it.anchor());
            afterTime.run();
            wishes.remove(it.anchor().strand());
            yield landed;
          }
          default -> throw new UnsupportedOperationException("not asked for here: " + change);
        };
  }

  @Override
  public ServiceIdentity identity() {
    throw new UnsupportedOperationException("not asked for here");
  }

  @Override
  public long timeMs() {
    return 0;
  }

  @Override
  public NodeHealth health() {
    return new NodeHealth(true, true, "");
  }

  @Override
  public void append(List<Appending> submissions, int following) {
    throw new UnsupportedOperationException("not asked for here");
  }

  @Override
  public void readLog(LogRange range, LogVisitor visitor) {
    throw new UnsupportedOperationException("not asked for here");
  }

  @Override
  public void close() {}
}

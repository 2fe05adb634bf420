package io.tallystick.master.anchor;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.Done;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeChange;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.TimeRefusal;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has the times asked for that members want through proxies of a cluster, and says why one does
/// not come. It has a thread of its own.
public final class WantedTimes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WantedTimes.class);
  private static final Duration LOOK = Duration.ofMillis(500);

  private final LedgerNode node;
  private final TimeRequests requests;
  private final Set<StrandId> asking = ConcurrentHashMap.newKeySet();
  private final Rounds rounds = new Rounds("wanted-times", LOOK, this::round);

  /// @param requests closed with this
  public WantedTimes(LedgerNode node, TimeRequests requests) {
    this.node = node;
    this.requests = requests;
  }

  public void start() {
    rounds.start();
  }

  /// @return whether all went well; if not, the next round had better wait
  private boolean round() {
    try {
      for (StrandId strand : node.ask(new OutsideRead.WantedTimes())) {
        if (asking.add(strand)) {
          ask(strand);
        }
      }
      return true;
    } catch (RequestRejectedException _) { // a shard without an owner
      return false;
    } catch (RuntimeException e) { // without rounds nobody would be asked any more
      LOG.error("times that members want", e);
      return false;
    }
  }

  private void ask(StrandId strand) {
    try {
      CompletableFuture<TimeRequests.Granted> _ =
          requests
              .request(strand)
              .whenComplete((_, failure) -> {
                if (failure != null) {
                  refuse(strand, failure);
                }
                asking.remove(strand);
              });
    } catch (RequestRejectedException e) {
      refuse(strand, e);
      asking.remove(strand);
    }
  }

  private void refuse(StrandId strand, Throwable failure) {
    try {
      Done _ = node.change(new NodeChange.NoTime(strand, why(failure)));
    } catch (RequestRejectedException e) { // who wants it gives up by itself
      LOG.warn("ledger {}: no time, and nobody to tell: {}", strand.ledger(), e.getMessage());
    }
  }

  private static TimeRefusal why(Throwable failure) {
    Throwable cause = failure instanceof CompletionException it ? it.getCause() : failure;
    return cause instanceof RequestRejectedException e
        ? TimeRefusal.of(e)
        : new TimeRefusal(RejectionCode.TIME_NOT_STAMPED, "internal", OptionalLong.empty());
  }

  @Override
  public void close() {
    rounds.interrupt();
    requests.close();
    rounds.close();
  }
}

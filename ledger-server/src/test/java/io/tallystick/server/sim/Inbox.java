package io.tallystick.server.sim;

import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.AppendWaiter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// What the shard has answered and nobody has judged yet, in its order.
final class Inbox {
  private final Map<SimClient, AppendWaiter.Stream> streams = new HashMap<>();
  private final Tally tally;
  private List<Arrival> answered = new ArrayList<>();

  Inbox(Tally tally) {
    this.tally = tally;
  }

  /// Who waits for a submission: on its client's stream, if that has one, else alone.
  AppendWaiter waiter(Arrival arrival) {
    return new Waiter(
        this,
        arrival,
        arrival.from.streams()
            ? streams.computeIfAbsent(arrival.from, _ -> this::receipted)
            : this::receipted);
  }

  void founding(Arrival arrival, CompletableFuture<Boolean> existed) {
    var _ =
        existed.whenComplete((is, failure) -> {
          arrival.existed = is;
          arrival.failure = failure;
          answered.add(arrival);
        });
  }

  private void receipted(AppendWaiter.ReceiptedRun run) {
    List<Arrival> arrivals = new ArrayList<>(run.waiters().size());
    for (int i = 0; i < run.waiters().size(); i++) {
      Arrival arrival = ((Waiter) run.waiters().get(i)).arrival;
      arrival.receipted = new Receipted(run.committed().get(i), run.rangeReceipt());
      arrivals.add(arrival);
    }
    if (arrivals.size() > 1) {
      SharedReceipt shared = new SharedReceipt(arrivals, run.rangeReceipt());
      arrivals.forEach(arrival -> arrival.shared = shared);
      tally.sharedReceipts++;
      tally.narrowed += arrivals.size();
    }
    answered.addAll(arrivals);
  }

  /// All that came since the last call.
  List<Arrival> take() {
    List<Arrival> taken = answered;
    answered = new ArrayList<>();
    return taken;
  }

  private record Waiter(Inbox inbox, Arrival arrival, Stream stream) implements AppendWaiter {
    @Override
    public boolean wantsCommitted() {
      return true;
    }

    @Override
    public void committed(Committed outcome) {
      arrival.committed = outcome;
    }

    @Override
    public void failed(Throwable cause) {
      arrival.failure = cause;
      inbox.answered.add(arrival);
    }
  }
}

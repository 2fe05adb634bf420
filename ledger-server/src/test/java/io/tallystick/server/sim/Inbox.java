package io.tallystick.server.sim;

import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import io.tallystick.server.shard.Shard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/// Answers of the shard that are not judged yet, in the order in which they came.
final class Inbox {
  private final Map<SimClient, AppendWaiter.Stream> streams = new HashMap<>();
  private final RunStatistics statistics;
  private List<Arrival> answered = new ArrayList<>();
  private int unanswered;

  Inbox(RunStatistics statistics) {
    this.statistics = statistics;
  }

  /// Gives an input to the shard, which may refuse it at once.
  void hand(Arrival arrival, Shard up, Sabotage sabotage) {
    if (arrival.sent != null) {
      VerifiedSubmission submission =
          sabotage.submission(arrival.sent.verified, arrival.sent.attempts);
      up.append(List.of(new Appending(submission, waiter(arrival))), 0);
      arrival.readHeight = PutBack.readHeight(arrival, up);
      PutBack.readRemoval(arrival, up);
      return;
    }
    unanswered++;
    if (arrival.note != null) {
      noting(arrival, sabotage.hand(arrival.note, up));
      return;
    }
    try {
      founding(arrival, up.found(Objects.requireNonNull(arrival.founding).founding));
    } catch (RequestRejectedException refusal) {
      arrival.failure = refusal;
      add(arrival);
    }
  }

  /// Who waits for a submission: on its client's stream, if that has one, else alone.
  private AppendWaiter waiter(Arrival arrival) {
    unanswered++;
    return new Waiter(
        this,
        arrival,
        arrival.from.streams()
            ? streams.computeIfAbsent(arrival.from, _ -> this::receipted)
            : this::receipted);
  }

  private void founding(Arrival arrival, CompletableFuture<Boolean> existed) {
    var _ =
        existed.whenComplete((is, failure) -> {
          arrival.existed = is;
          arrival.failure = failure;
          add(arrival);
        });
  }

  private void noting(Arrival arrival, CompletableFuture<?> done) {
    var _ =
        done.whenComplete((is, failure) -> {
          arrival.noted = is;
          arrival.failure = failure;
          add(arrival);
        });
  }

  private void add(Arrival arrival) {
    Violation.unless(!arrival.answered, "answered twice");
    arrival.answered = true;
    answered.add(arrival);
    unanswered--;
  }

  /// Inputs that the shard was given and has not answered.
  int unanswered() {
    return unanswered;
  }

  /// The process is gone: what it has not answered it never will.
  void forget() {
    answered = new ArrayList<>();
    unanswered = 0;
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
      statistics.sharedReceipts++;
      statistics.narrowed += arrivals.size();
    }
    arrivals.forEach(this::add);
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
      inbox.add(arrival);
    }
  }
}

package io.tallystick.client.wire;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.tallystick.api.v1.ClueServiceGrpc;
import io.tallystick.api.v1.ClueServiceGrpc.ClueServiceBlockingStub;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.JournalServiceGrpc.JournalServiceBlockingStub;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc.LedgerServiceBlockingStub;
import io.tallystick.api.v1.ProposalServiceGrpc;
import io.tallystick.api.v1.ProposalServiceGrpc.ProposalServiceBlockingStub;
import io.tallystick.api.v1.RemovalServiceGrpc;
import io.tallystick.api.v1.RemovalServiceGrpc.RemovalServiceBlockingStub;
import io.tallystick.api.v1.StateServiceGrpc;
import io.tallystick.api.v1.StateServiceGrpc.StateServiceBlockingStub;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.TallyException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// Unary calls of all services, repeated as the retry policy says when they fail for a passing
/// reason. Every one of them may be repeated without harm. Blocks the calling thread; thread-safe.
public final class ServiceCalls {
  private final LedgerServiceBlockingStub ledgers;
  private final JournalServiceBlockingStub journals;
  private final ClueServiceBlockingStub clues;
  private final StateServiceBlockingStub states;
  private final ProposalServiceBlockingStub proposals;
  private final RemovalServiceBlockingStub removals;
  private final Repeats repeats;

  public ServiceCalls(ManagedChannel channel, Duration callTimeout, RetryPolicy retry) {
    this(
        LedgerServiceGrpc.newBlockingStub(channel),
        JournalServiceGrpc.newBlockingStub(channel),
        ClueServiceGrpc.newBlockingStub(channel),
        StateServiceGrpc.newBlockingStub(channel),
        ProposalServiceGrpc.newBlockingStub(channel),
        RemovalServiceGrpc.newBlockingStub(channel),
        new Repeats(new Reconnects(channel), callTimeout, retry, false));
  }

  private ServiceCalls(
      LedgerServiceBlockingStub ledgers,
      JournalServiceBlockingStub journals,
      ClueServiceBlockingStub clues,
      StateServiceBlockingStub states,
      ProposalServiceBlockingStub proposals,
      RemovalServiceBlockingStub removals,
      Repeats repeats) {
    this.ledgers = ledgers;
    this.journals = journals;
    this.clues = clues;
    this.states = states;
    this.proposals = proposals;
    this.removals = removals;
    this.repeats = repeats;
  }

  private ServiceCalls with(Repeats other) {
    return new ServiceCalls(ledgers, journals, clues, states, proposals, removals, other);
  }

  /// The same calls, of which each changes something: one that was not answered may have done so.
  public ServiceCalls changing() {
    return with(repeats.ofChanges());
  }

  /// The same calls, each answered within another time.
  ServiceCalls within(Duration timeout) {
    return with(repeats.within(timeout));
  }

  /// The same calls, each with what `interceptor` adds.
  public ServiceCalls with(ClientInterceptor interceptor) {
    return new ServiceCalls(
        ledgers.withInterceptors(interceptor),
        journals.withInterceptors(interceptor),
        clues.withInterceptors(interceptor),
        states.withInterceptors(interceptor),
        proposals.withInterceptors(interceptor),
        removals.withInterceptors(interceptor),
        repeats);
  }

  /// @param name of the call, for messages
  public <R> R ledgers(String name, Function<LedgerServiceBlockingStub, R> call)
      throws TallyException {
    return repeats.run(name, ms -> call.apply(ledgers.withDeadlineAfter(ms, MILLIS)));
  }

  public <R> R journals(String name, Function<JournalServiceBlockingStub, R> call)
      throws TallyException {
    return repeats.run(name, ms -> call.apply(journals.withDeadlineAfter(ms, MILLIS)));
  }

  public <R> R clues(String name, Function<ClueServiceBlockingStub, R> call) throws TallyException {
    return repeats.run(name, ms -> call.apply(clues.withDeadlineAfter(ms, MILLIS)));
  }

  public <R> R states(String name, Function<StateServiceBlockingStub, R> call)
      throws TallyException {
    return repeats.run(name, ms -> call.apply(states.withDeadlineAfter(ms, MILLIS)));
  }

  public <R> R proposals(String name, Function<ProposalServiceBlockingStub, R> call)
      throws TallyException {
    return repeats.run(name, ms -> call.apply(proposals.withDeadlineAfter(ms, MILLIS)));
  }

  public <R> R removals(String name, Function<RemovalServiceBlockingStub, R> call)
      throws TallyException {
    return repeats.run(name, ms -> call.apply(removals.withDeadlineAfter(ms, MILLIS)));
  }

  private static final TimeUnit MILLIS = TimeUnit.MILLISECONDS;
}

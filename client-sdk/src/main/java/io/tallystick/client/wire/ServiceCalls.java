package io.tallystick.client.wire;

import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.StatusRuntimeException;
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
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
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
  private final Duration callTimeout;
  private final RetryPolicy retry;
  private final boolean changing;

  public ServiceCalls(Channel channel, Duration callTimeout, RetryPolicy retry) {
    this(
        LedgerServiceGrpc.newBlockingStub(channel),
        JournalServiceGrpc.newBlockingStub(channel),
        ClueServiceGrpc.newBlockingStub(channel),
        StateServiceGrpc.newBlockingStub(channel),
        ProposalServiceGrpc.newBlockingStub(channel),
        RemovalServiceGrpc.newBlockingStub(channel),
        callTimeout,
        retry,
        false);
  }

  private ServiceCalls(
      LedgerServiceBlockingStub ledgers,
      JournalServiceBlockingStub journals,
      ClueServiceBlockingStub clues,
      StateServiceBlockingStub states,
      ProposalServiceBlockingStub proposals,
      RemovalServiceBlockingStub removals,
      Duration callTimeout,
      RetryPolicy retry,
      boolean changing) {
    this.ledgers = ledgers;
    this.journals = journals;
    this.clues = clues;
    this.states = states;
    this.proposals = proposals;
    this.removals = removals;
    this.callTimeout = callTimeout;
    this.retry = retry;
    this.changing = changing;
  }

  /// The same calls, of which each changes something: one that was not answered may have done so.
  public ServiceCalls changing() {
    return new ServiceCalls(
        ledgers, journals, clues, states, proposals, removals, callTimeout, retry, true);
  }

  /// The same calls, each answered within another time.
  ServiceCalls within(Duration timeout) {
    return new ServiceCalls(
        ledgers, journals, clues, states, proposals, removals, timeout, retry, changing);
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
        callTimeout,
        retry,
        changing);
  }

  /// @param name of the call, for messages
  public <R> R ledgers(String name, Function<LedgerServiceBlockingStub, R> call)
      throws TallyException {
    return retrying(name, () -> call.apply(ledgers.withDeadlineAfter(timeoutMs(), MILLIS)));
  }

  public <R> R journals(String name, Function<JournalServiceBlockingStub, R> call)
      throws TallyException {
    return retrying(name, () -> call.apply(journals.withDeadlineAfter(timeoutMs(), MILLIS)));
  }

  public <R> R clues(String name, Function<ClueServiceBlockingStub, R> call) throws TallyException {
    return retrying(name, () -> call.apply(clues.withDeadlineAfter(timeoutMs(), MILLIS)));
  }

  public <R> R states(String name, Function<StateServiceBlockingStub, R> call)
      throws TallyException {
    return retrying(name, () -> call.apply(states.withDeadlineAfter(timeoutMs(), MILLIS)));
  }

  public <R> R proposals(String name, Function<ProposalServiceBlockingStub, R> call)
      throws TallyException {
    return retrying(name, () -> call.apply(proposals.withDeadlineAfter(timeoutMs(), MILLIS)));
  }

  public <R> R removals(String name, Function<RemovalServiceBlockingStub, R> call)
      throws TallyException {
    return retrying(name, () -> call.apply(removals.withDeadlineAfter(timeoutMs(), MILLIS)));
  }

  private static final TimeUnit MILLIS = TimeUnit.MILLISECONDS;

  private long timeoutMs() {
    return callTimeout.toMillis();
  }

  private interface Attempt<R> {
    R run();
  }

  private <R> R retrying(String name, Attempt<R> attempt) throws TallyException {
    long start = System.nanoTime();
    boolean sent = false;
    for (int attempts = 1; ; attempts++) {
      try {
        return attempt.run();
      } catch (StatusRuntimeException e) {
        sent |= changing && !Problems.neverSent(e);
        Duration pause = retry.pause(attempts, Problems.retryAfter(e), ThreadLocalRandom.current());
        if (!Problems.retryable(e) || attempts >= retry.attemptsMax() || late(start, pause)) {
          throw Problems.toException(name, e, sent);
        }
        sleep(name, pause);
      }
    }
  }

  private boolean late(long startNanos, Duration pause) {
    long elapsed = System.nanoTime() - startNanos;
    return elapsed + pause.toNanos() > retry.timeMax().toNanos();
  }

  private static void sleep(String name, Duration pause) throws ServiceUnavailableException {
    try {
      Thread.sleep(pause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailableException(name + " was interrupted", false, e);
    }
  }
}

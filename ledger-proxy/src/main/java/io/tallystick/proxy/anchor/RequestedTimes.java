package io.tallystick.proxy.anchor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.master.anchor.AwaitedTimes;
import io.tallystick.master.anchor.TimeRequests;
import io.tallystick.master.anchor.TimeRequests.Granted;
import io.tallystick.master.anchor.TimeRequests.Outcome;
import io.tallystick.master.anchor.TimeSource;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The requests of members for time journals, on both fronts. A member that may append asks, by its
/// token, also in a public ledger and where reads need none.
public final class RequestedTimes implements AutoCloseable {
  /// Two authorities that do not answer, one after the other.
  private static final Duration MASTER_ANSWERS_WITHIN = Duration.ofSeconds(25);

  private final ReadAccess access;
  private final TimeRequests requests;

  private RequestedTimes(ReadAccess access, TimeRequests requests) {
    this.access = access;
    this.requests = requests;
  }

  /// This process asks for them.
  public static RequestedTimes of(
      LedgerNode node,
      ReadAccess access,
      Anchoring anchoring,
      Submitting submitting,
      MeterRegistry meters) {
    return new RequestedTimes(access, requests(node, anchoring, submitting, meters));
  }

  /// The leading master of the cluster asks for them.
  public static RequestedTimes ofMaster(LedgerNode node, ReadAccess access, MeterRegistry meters) {
    TimeSource master = new AwaitedTimes(node, MASTER_ANSWERS_WITHIN);
    return new RequestedTimes(access, requests(node, List.of(master), meters));
  }

  /// Time authorities are asked first, then the T-Ledger.
  public static TimeRequests requests(
      LedgerNode node, Anchoring anchoring, Submitting submitting, MeterRegistry meters) {
    return requests(
        node,
        Stream.of(anchoring.source(), submitting.source()).flatMap(Optional::stream).toList(),
        meters);
  }

  private static TimeRequests requests(
      LedgerNode node, List<TimeSource> sources, MeterRegistry meters) {
    Map<Outcome, Counter> counters = new EnumMap<>(Outcome.class);
    for (Outcome outcome : Outcome.values()) {
      counters.put(
          outcome,
          Counter.builder("ledger.time.requests")
              .description("requests of members for a time journal")
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .register(meters));
    }
    return new TimeRequests(
        node.timeJournals(), sources, System::nanoTime, outcome -> count(counters.get(outcome)));
  }

  private static void count(@Nullable Counter counter) {
    if (counter != null) {
      counter.increment();
    }
  }

  /// @return as {@link TimeRequests#request}
  /// @throws RequestRejectedException `TOKEN_REQUIRED`, `TOKEN_INVALID`, `ROLE_NOT_ALLOWED`; as
  ///   {@link TimeRequests#request}
  public CompletableFuture<Granted> request(StrandId strand, Bearer bearer)
      throws RequestRejectedException {
    Member _ = access.appendingMember(strand.ledger(), bearer);
    return requests.request(strand);
  }

  /// Answers whoever waits that the service is stopping.
  public void drain() {
    requests.drain();
  }

  @Override
  public void close() {
    requests.close();
  }
}

package io.tallystick.proxy.execute;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.tallystick.model.RejectionCode;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// The meters of the front: refusals by code, journals appended, the time an append takes. All
/// meters exist from the start, so that a rate can be taken of a code that was never seen.
public final class ProxyMetrics {
  private static final Duration APPEND_MIN = Duration.ofMillis(1);
  private static final Duration APPEND_MAX = Duration.ofSeconds(10);

  private final Map<RejectionCode, Counter> refusals = new EnumMap<>(RejectionCode.class);
  private final Counter connectionsRefused;
  private final Counter failures;
  private final Counter verifyFailures;
  private final Counter appended;
  private final Counter repeated;
  private final Timer append;
  private final Map<String, Timer> calls = new ConcurrentHashMap<>();
  private final MeterRegistry meters;

  public ProxyMetrics(MeterRegistry meters) {
    this.meters = meters;
    for (RejectionCode code : RejectionCode.values()) {
      refusals.put(code, refusalCounter(meters, code.wire()));
    }
    failures = refusalCounter(meters, "internal");
    connectionsRefused =
        Counter.builder("ledger.connections.refused")
            .description("connections closed at once because too many were open")
            .tag("front", "grpc")
            .register(meters);
    verifyFailures =
        Counter.builder("ledger.verify.failures")
            .description("evidence shown to the service that did not verify")
            .register(meters);
    appended =
        Counter.builder("ledger.journals.appended")
            .description("journals acknowledged, repeats left out")
            .register(meters);
    repeated =
        Counter.builder("ledger.journals.repeated")
            .description("journals of submissions that were answered as repeats")
            .register(meters);
    append =
        Timer.builder("ledger.append")
            .description("from a submission's arrival to its acknowledgement")
            .publishPercentileHistogram()
            .minimumExpectedValue(APPEND_MIN)
            .maximumExpectedValue(APPEND_MAX)
            .register(meters);
  }

  private static Counter refusalCounter(MeterRegistry meters, String code) {
    return Counter.builder("ledger.refusals")
        .description("requests refused, by code of docs/errors.md")
        .tag("code", code)
        .register(meters);
  }

  /// Says that calls of this method will be timed.
  public void serves(String method) {
    calls.put(
        method,
        Timer.builder("ledger.call")
            .description("gRPC calls, from their first bytes to their end")
            .tag("method", method)
            .register(meters));
  }

  /// Times a gRPC call that has ended, however it did.
  ///
  /// @param method one that is not {@link #serves served} here is left out
  /// @param nanos from its first bytes to its end
  public void called(String method, long nanos) {
    Timer timer = calls.get(method);
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  public void refused(RejectionCode code) {
    Counter counter = refusals.get(code);
    if (counter != null) {
      counter.increment();
    }
  }

  /// Counts a connection of gRPC that was closed as soon as it came.
  public void connectionRefused() {
    connectionsRefused.increment();
  }

  /// Counts a request that failed by a fault of ours.
  public void failed() {
    failures.increment();
  }

  /// Counts evidence that somebody showed and that is not right.
  public void verifyFailed() {
    verifyFailures.increment();
  }

  /// @param nanos from arrival to acknowledgement
  public void appended(int journals, boolean repeat, long nanos) {
    (repeat ? repeated : appended).increment(journals);
    append.record(nanos, TimeUnit.NANOSECONDS);
  }
}

package io.tallystick.proxy.witness;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.tallystick.master.witness.WitnessFailedException;
import io.tallystick.master.witness.WitnessStatus;
import io.tallystick.master.witness.WitnessStatus.Contradiction;
import io.tallystick.master.witness.WitnessWatch;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The meters and log lines of witnesses. All meters exist from the start, so that a rate can be
/// taken of a reason that was never seen.
final class WitnessMetrics implements WitnessWatch {
  private static final Logger LOG = LoggerFactory.getLogger(WitnessMetrics.class);
  private static final Duration MARKED_WITHIN = Duration.ofSeconds(1);
  private static final String UNREADABLE = "unreadable";
  private static final String INTERNAL = "internal";

  private final MeterRegistry meters;
  private final Counter cosignatures;
  private final Map<String, Counter> failures = new TreeMap<>();

  WitnessMetrics(MeterRegistry meters) {
    this.meters = meters;
    cosignatures =
        Counter.builder("ledger.witness.cosignatures")
            .description("cosignatures of witnesses")
            .register(meters);
    WitnessFailedException.codes().forEach(this::addFailure);
    addFailure(UNREADABLE);
    addFailure(INTERNAL);
  }

  private void addFailure(String reason) {
    failures.put(
        reason,
        Counter.builder("ledger.witness.failures")
            .description("answers of witnesses that were of no use")
            .tag("reason", reason)
            .register(meters));
  }

  /// Shows how it stands.
  ///
  /// @param node whose ledgers may be marked, whoever marked them
  void follow(Supplier<WitnessStatus> status, LedgerNode node) {
    TimeGauge.builder(
            "ledger.witness.cosignature.age",
            () -> age(status.get().oldestCosignedMs(), node::timeMs),
            TimeUnit.MILLISECONDS)
        .description("since a witness cosigned, of the ledger where that is longest ago")
        .register(meters);
    MarkedLedgers marked = new MarkedLedgers(node, MARKED_WITHIN);
    Gauge.builder("ledger.witness.readonly.ledgers", marked::count)
        .description("ledgers of which a witness has seen a head that is not in their log")
        .register(meters);
  }

  private static Number age(OptionalLong since, LongSupplier timeMs) {
    return since.isPresent() ? Math.max(0, timeMs.getAsLong() - since.getAsLong()) : Double.NaN;
  }

  private void count(String reason) {
    Counter counter = failures.get(reason);
    if (counter != null) {
      counter.increment();
    }
  }

  @Override
  public void cosigned(LedgerId ledger, String witness) {
    cosignatures.increment();
  }

  @Override
  public void failed(LedgerId ledger, WitnessFailedException failure) {
    count(failure.code());
    LOG.warn("ledger {}: witness {}", ledger, failure.getMessage());
  }

  @Override
  public void contradicted(LedgerId ledger, Contradiction seen) {
    LOG.error(
        "ledger {} takes no appends: witness {} has cosigned a head of {} leaves, {}",
        ledger,
        seen.witness(),
        seen.size(),
        seen.ahead() ? "more than there are: an old backup?" : "and that size has another head");
  }

  @Override
  public void unreadable(LedgerId ledger, RequestRejectedException refusal) {
    count(UNREADABLE);
    LOG.warn("head of {} for witnesses: {}: {}", ledger, refusal.code(), refusal.getMessage());
  }

  @Override
  public void faulted(Exception fault) {
    count(INTERNAL);
    LOG.error("asking witnesses", fault);
  }
}

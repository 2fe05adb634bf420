package io.tallystick.proxy.anchor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.tallystick.master.anchor.AnchorStatus;
import io.tallystick.master.anchor.AnchorWatch;
import io.tallystick.master.anchor.AuthorityFailedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The meters and log lines of an anchoring. All meters exist from the start, so that a rate can be
/// taken of a reason that was never seen.
final class AnchorMetrics implements AnchorWatch {
  private static final Logger LOG = LoggerFactory.getLogger(AnchorMetrics.class);
  private static final String JOURNAL_REFUSED = "journal_refused";
  private static final String INTERNAL = "internal";

  private final MeterRegistry meters;
  private final Counter anchors;
  private final Map<String, Counter> failures = new TreeMap<>();

  AnchorMetrics(MeterRegistry meters) {
    this.meters = meters;
    anchors =
        Counter.builder("ledger.time.anchors")
            .description("time journals written")
            .register(meters);
    AuthorityFailedException.codes().forEach(this::addFailure);
    addFailure(JOURNAL_REFUSED);
    addFailure(INTERNAL);
  }

  private void addFailure(String reason) {
    failures.put(
        reason,
        Counter.builder("ledger.time.failures")
            .description("answers of time authorities that were not used, and journals not taken")
            .tag("reason", reason)
            .register(meters));
  }

  /// Shows how the anchoring stands.
  void follow(Supplier<AnchorStatus> status, LongSupplier timeMs) {
    TimeGauge.builder(
            "ledger.time.anchor.age",
            () -> age(status.get().lastAnchor(), timeMs, Double.NaN),
            TimeUnit.MILLISECONDS)
        .description("since the newest time journal of this run")
        .register(meters);
    TimeGauge.builder(
            "ledger.time.unanchored",
            () -> age(status.get().waitingSince(), timeMs, 0),
            TimeUnit.MILLISECONDS)
        .description("how long the oldest journal waits that no time journal covers")
        .register(meters);
  }

  private static Number age(OptionalLong since, LongSupplier timeMs, double none) {
    return since.isPresent() ? Math.max(0, timeMs.getAsLong() - since.getAsLong()) : none;
  }

  private void count(String reason) {
    Counter counter = failures.get(reason);
    if (counter != null) {
      counter.increment();
    }
  }

  @Override
  public void anchored(StrandId strand) {
    anchors.increment();
  }

  @Override
  public void authorityFailed(AuthorityFailedException failure) {
    count(failure.code());
    LOG.warn("time authority {}", failure.getMessage());
  }

  @Override
  public void journalRefused(StrandId strand, RequestRejectedException refusal) {
    count(JOURNAL_REFUSED);
    LOG.warn("time journal of {}: {}: {}", strand, refusal.code(), refusal.getMessage());
  }

  @Override
  public void faulted(Exception fault) {
    count(INTERNAL);
    LOG.error("anchoring in time", fault);
  }
}

package io.tallystick.proxy.anchor;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.master.anchor.AnchorSchedule;
import io.tallystick.master.anchor.AnchorStatus;
import io.tallystick.master.anchor.AuthoritySettings;
import io.tallystick.master.anchor.TimeAuthorities;
import io.tallystick.master.anchor.TimePeg;
import io.tallystick.master.anchor.TimeSource;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.TimeJournals;
import io.tallystick.time.TimeTokens;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The anchoring of this service in time, if there is one. All else works without.
public final class Anchoring implements AutoCloseable {
  /// The answer of health where no token comes back.
  public static final String NOT_ANCHORED = "time is not anchored";

  private static final Logger LOG = LoggerFactory.getLogger(Anchoring.class);

  private final Optional<TimePeg> peg;
  private final String whyNot;

  private Anchoring(Optional<TimePeg> peg, String whyNot) {
    this.peg = peg;
    this.whyNot = whyNot;
  }

  /// No time authority is configured.
  public static Anchoring off(MeterRegistry meters) {
    return none("no time authority is configured", new AnchorMetrics(meters));
  }

  private static Anchoring none(String whyNot, AnchorMetrics metrics) {
    metrics.follow(() -> AnchorStatus.NONE, () -> 0);
    return new Anchoring(Optional.empty(), whyNot);
  }

  /// Begins to anchor the ledgers of a node, if it takes time journals.
  public static Anchoring of(
      LedgerNode node,
      TimeTokens tokens,
      AuthoritySettings authorities,
      AnchorSchedule schedule,
      MeterRegistry meters) {
    AnchorMetrics metrics = new AnchorMetrics(meters);
    Optional<TimeJournals> journals = node.timeJournals();
    if (journals.isEmpty()) {
      String whyNot = "this node takes no time journals";
      LOG.warn("{}: {}", NOT_ANCHORED, whyNot);
      return none(whyNot, metrics);
    }
    TimePeg peg =
        new TimePeg(
            journals.get(),
            new TimeAuthorities(tokens, authorities, node::timeMs, metrics),
            schedule,
            node::timeMs,
            metrics);
    metrics.follow(peg::status, node::timeMs);
    peg.start();
    return new Anchoring(Optional.of(peg), "");
  }

  /// How it stands; empty: {@link #whyNot} says why there is none.
  public Optional<AnchorStatus> status() {
    return peg.map(TimePeg::status);
  }

  /// Who is asked for a time; empty if nobody is.
  Optional<TimeSource> source() {
    return peg.map(TimeSource.class::cast);
  }

  /// Why time is not anchored, in plain words; empty if it is.
  public String whyNot() {
    return whyNot;
  }

  @Override
  public void close() {
    peg.ifPresent(TimePeg::close);
  }
}

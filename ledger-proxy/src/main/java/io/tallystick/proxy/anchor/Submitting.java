package io.tallystick.proxy.anchor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.master.anchor.TimeSource;
import io.tallystick.master.tledger.ContradictedException;
import io.tallystick.master.tledger.SubmittedLedgers;
import io.tallystick.master.tledger.TLedgerLink;
import io.tallystick.master.tledger.TLedgerPeg;
import io.tallystick.master.tledger.TLedgerWatch;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.TimeJournals;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The submitting of this service's heads to a T-Ledger, if there is one.
public final class Submitting implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Submitting.class);

  private final Optional<TLedgerPeg> peg;
  private final Optional<ContradictionFile> contradiction;

  private Submitting(Optional<TLedgerPeg> peg, Optional<ContradictionFile> contradiction) {
    this.peg = peg;
    this.contradiction = contradiction;
  }

  public static Submitting off() {
    return new Submitting(Optional.empty(), Optional.empty());
  }

  /// How it stands, for health; empty if nothing is submitted.
  public Optional<String> status() {
    return contradiction.map(file ->
        file.isThere()
            ? "stopped: the T-Ledger contradicts itself, evidence in " + file.path()
            : "submitting");
  }

  /// The T-Ledger as one who is asked for a time; empty if nothing is submitted.
  Optional<TimeSource> source() {
    return peg.map(TimeSource.class::cast);
  }

  /// Where a T-Ledger is and what goes there.
  ///
  /// @param plain whether nothing is encrypted
  /// @param id of the T-Ledger, as it is pinned
  public record Target(
      String host,
      int port,
      boolean plain,
      LedgerId id,
      SubmittedLedgers submits,
      Duration interval) {}

  /// Begins to submit, if the node takes time journals.
  ///
  /// @param dataDirectory where evidence is kept against the T-Ledger
  /// @param link to the T-Ledger; closed with what is returned
  public static Submitting to(
      Target target,
      Path dataDirectory,
      TLedgerLink link,
      LedgerNode node,
      Signatures signatures,
      MeterRegistry meters) {
    Optional<TimeJournals> journals = node.timeJournals();
    if (journals.isEmpty()) {
      LOG.warn("no heads are submitted: this node takes no time journals");
      link.close();
      return off();
    }
    ContradictionFile contradiction = new ContradictionFile(dataDirectory, target.id());
    if (contradiction.isThere()) {
      LOG.error(
          "no heads are submitted to T-Ledger {}: it contradicted itself, evidence in {}",
          target.id(),
          contradiction.path());
    }
    TLedgerPeg peg =
        new TLedgerPeg(
            node,
            journals.get(),
            link,
            target.id(),
            target.submits(),
            target.interval(),
            signatures,
            new Metrics(meters, contradiction));
    peg.start();
    return new Submitting(Optional.of(peg), Optional.of(contradiction));
  }

  private static final class Metrics implements TLedgerWatch {
    private final Counter anchors;
    private final Counter failures;
    private final ContradictionFile contradiction;

    Metrics(MeterRegistry meters, ContradictionFile contradiction) {
      this.contradiction = contradiction;
      Gauge.builder("ledger.t-ledger.contradicted", contradiction, file -> file.isThere() ? 1 : 0)
          .description(
              "1 once the T-Ledger contradicted itself: nothing is submitted to it any more")
          .register(meters);
      anchors =
          Counter.builder("ledger.t-ledger.anchors")
              .description("heads that came back from the T-Ledger as time journals")
              .register(meters);
      failures =
          Counter.builder("ledger.t-ledger.failures")
              .description("heads that the T-Ledger did not take, or answered wrongly")
              .register(meters);
    }

    @Override
    public void anchored(StrandId strand, AnchoredAt landed) {
      anchors.increment();
    }

    @Override
    public boolean contradicted() {
      return contradiction.isThere();
    }

    @Override
    public void contradicted(StrandId strand, ContradictedException found) {
      failures.increment();
      LOG.error(
          "head of {}: {}; nothing is submitted to it any more, evidence in {}",
          strand,
          found.getMessage(),
          contradiction.path());
      contradiction.keep(found);
    }

    @Override
    public void failed(StrandId strand, Exception failure) {
      failures.increment();
      LOG.warn("head of {} to the T-Ledger: {}", strand, failure.toString());
    }
  }

  @Override
  public void close() {
    peg.ifPresent(TLedgerPeg::close);
  }
}

package io.tallystick.proxy.anchor;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.master.tledger.TLedgerWriter;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.access.ListedSubmitters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The T-Ledger that this service keeps, if it keeps one.
public final class KeptTLedger implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptTLedger.class);

  private final Optional<TLedgerWriter> writer;

  private KeptTLedger(Optional<TLedgerWriter> writer) {
    this.writer = writer;
  }

  public static KeptTLedger none() {
    return new KeptTLedger(Optional.empty());
  }

  /// Opens it, founding it on the first start.
  ///
  /// @param submitters the list of who may submit; null: nobody
  /// @throws RequestRejectedException if the node does not found it
  public static KeptTLedger open(
      LedgerNode node,
      Path dataDirectory,
      @Nullable Path submitters,
      Signatures signatures,
      MeterRegistry meters)
      throws IOException, RequestRejectedException {
    TLedgerKeeper keeper = new TLedgerKeeper(dataDirectory);
    Signer owner = keeper.owner(signatures);
    LedgerId id = new TLedgerFounding(node, owner, signatures, keeper).open();
    TLedgerWriter writer =
        new TLedgerWriter(
            node,
            id,
            owner,
            signatures,
            ListedSubmitters.of(submitters, keeper.places(), node::timeMs),
            new ForkFolder(keeper.forks(), meters));
    writer.start();
    Gauge.builder("ledger.t-ledger.submitters", writer, TLedgerWriter::submitters)
        .description("ledgers whose newest head in the T-Ledger is remembered, or one is under way")
        .register(meters);
    LOG.info("T-Ledger {}", id);
    if (submitters == null) {
      LOG.warn("nobody may submit heads to the T-Ledger: --submitters names no list");
    }
    return new KeptTLedger(Optional.of(writer));
  }

  public Optional<TLedgerWriter> writer() {
    return writer;
  }

  @Override
  public void close() {
    writer.ifPresent(TLedgerWriter::close);
  }
}

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
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
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
  /// @throws RequestRejectedException if the node does not found it
  public static KeptTLedger open(
      LedgerNode node, Path dataDirectory, Signatures signatures, MeterRegistry meters)
      throws IOException, RequestRejectedException {
    TLedgerKeeper keeper = new TLedgerKeeper(dataDirectory);
    Signer owner = keeper.owner(signatures);
    LedgerId id = new TLedgerFounding(node, owner, signatures, keeper).open();
    TLedgerWriter writer = new TLedgerWriter(node, id, owner, signatures, keeper::keepFork);
    writer.start();
    Gauge.builder("ledger.t-ledger.submitters", writer, TLedgerWriter::submitters)
        .description("ledgers that have a head in the T-Ledger, or one under way, since the start")
        .register(meters);
    LOG.info("T-Ledger {}", id);
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

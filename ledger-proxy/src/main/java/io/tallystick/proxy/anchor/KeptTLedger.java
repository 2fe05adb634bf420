package io.tallystick.proxy.anchor;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.master.tledger.AskedTLedger;
import io.tallystick.master.tledger.TLedgerDoor;
import io.tallystick.master.tledger.TLedgerFounding;
import io.tallystick.master.tledger.TLedgerWriter;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.HostedNode;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.access.ListedSubmitters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The T-Ledger that this service keeps, if it keeps one.
public final class KeptTLedger implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptTLedger.class);

  private final Supplier<Optional<TLedgerDoor>> door;
  private final Runnable closing;

  private KeptTLedger(Supplier<Optional<TLedgerDoor>> door, Runnable closing) {
    this.door = door;
    this.closing = closing;
  }

  /// The one that another process writes: the one that there is now, if there is one.
  public static KeptTLedger ofOthers(HostedNode hosted) {
    Others others = new Others(hosted);
    return new KeptTLedger(others::door, others::close);
  }

  /// Follows the node, which may come to know another T-Ledger. Thread-safe.
  private static final class Others {
    private final HostedNode hosted;
    private @Nullable AskedTLedger asked;

    Others(HostedNode hosted) {
      this.hosted = hosted;
    }

    synchronized Optional<TLedgerDoor> door() {
      Optional<LedgerId> id = hosted.tLedger();
      if (id.isEmpty()) {
        return Optional.empty();
      }
      AskedTLedger now = asked;
      if (now == null || !now.tLedger().equals(id.get())) {
        close();
        now = new AskedTLedger(hosted.node(), id.get());
        asked = now;
      }
      return Optional.of(now);
    }

    synchronized void close() {
      if (asked != null) {
        asked.close();
      }
    }
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
    TLedgerWriter writer = writer(node, id, owner, keeper, submitters, signatures, meters);
    return new KeptTLedger(() -> Optional.of(writer), writer::close);
  }

  /// Writes one that was founded before, by a key that was given.
  ///
  /// @param folder for what is kept beside the ledger
  /// @param key file of the writer's key
  public static TLedgerWriter write(
      LedgerNode node,
      LedgerId id,
      Path folder,
      Path key,
      @Nullable Path submitters,
      Signatures signatures,
      MeterRegistry meters)
      throws IOException {
    return writer(
        node,
        id,
        TLedgerKeeper.load(key, signatures),
        new TLedgerKeeper(folder),
        submitters,
        signatures,
        meters);
  }

  /// The writer's key in a file, made if there is none.
  ///
  /// @throws IOException also if the file is open to others
  public static Signer loadOrMakeKey(Path file, Signatures signatures) throws IOException {
    return TLedgerKeeper.loadOrMake(file, signatures);
  }

  private static TLedgerWriter writer(
      LedgerNode node,
      LedgerId id,
      Signer owner,
      TLedgerKeeper keeper,
      @Nullable Path submitters,
      Signatures signatures,
      MeterRegistry meters)
      throws IOException {
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
    return writer;
  }

  /// Empty while there is none.
  public Optional<TLedgerDoor> door() {
    return door.get();
  }

  @Override
  public void close() {
    closing.run();
  }
}

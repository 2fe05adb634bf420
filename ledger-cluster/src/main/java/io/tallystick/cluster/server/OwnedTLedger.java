package io.tallystick.cluster.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.master.tledger.SubmittedHead;
import io.tallystick.master.tledger.SubmitterRule;
import io.tallystick.master.tledger.TLedgerWriter;
import io.tallystick.master.tledger.TakenHead;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeChange;
import io.tallystick.node.TakenEntry;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The T-Ledger of a cluster, while this server writes its shard: opened by the first head that is
/// submitted, closed with the shard. Its appends are fenced as all are. Thread-safe.
final class OwnedTLedger implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnedTLedger.class);

  /// Longer than a head waits for its batch, and less than a proxy waits for the answer.
  private static final Duration TAKEN_MAX = Duration.ofSeconds(20);

  private final LedgerNode node;
  private final Supplier<MeterRegistry> meters;
  private final Duration takenMax;
  private final Opening opening;
  private @Nullable TLedgerWriter writer;
  private @Nullable MeterRegistry opened;
  private boolean closed;

  /// Opens it.
  @FunctionalInterface
  interface Opening {
    /// @throws RequestRejectedException `UNKNOWN_LEDGER` if that is not the cluster's T-Ledger
    /// @throws IOException if this server cannot write it, with the reason in one line
    TLedgerWriter open(LedgerNode node, LedgerId tLedger, MeterRegistry meters)
        throws IOException, RequestRejectedException;
  }

  /// @param meters of the shard: one registry for each opening, closed with it
  OwnedTLedger(LedgerNode node, Supplier<MeterRegistry> meters, Opening opening) {
    this(node, meters, opening, TAKEN_MAX);
  }

  OwnedTLedger(
      LedgerNode node, Supplier<MeterRegistry> meters, Opening opening, Duration takenMax) {
    this.node = node;
    this.meters = meters;
    this.opening = opening;
    this.takenMax = takenMax;
  }

  /// Enters a head.
  ///
  /// @return completes once its block is signed; fails with a {@link RequestRejectedException}, at
  ///   the latest after 20 s
  /// @throws RequestRejectedException as {@link TLedgerWriter#take}; `UNAVAILABLE` if it cannot be
  ///   written here
  CompletableFuture<TakenEntry> take(NodeChange.SubmitHead submitted)
      throws RequestRejectedException {
    SubmittedHead head =
        new SubmittedHead(submitted.genesisParams(), submitted.keyChain(), submitted.entry());
    return writer(submitted.tLedger())
        .take(head, new SubmitterRule.Caller(submitted.address(), submitted.invitation()))
        .copy()
        .orTimeout(takenMax.toMillis(), TimeUnit.MILLISECONDS)
        .handle(OwnedTLedger::entry);
  }

  private static TakenEntry entry(@Nullable TakenHead taken, @Nullable Throwable failure) {
    if (taken != null) {
      return new TakenEntry(taken.receiptFile(), taken.salt(), taken.body());
    }
    Throwable cause =
        Objects.requireNonNull(failure instanceof CompletionException it ? it.getCause() : failure);
    throw new CompletionException(
        switch (cause) {
          case RequestRejectedException refused -> refused;
          case TimeoutException late -> unavailable("the head has no block in time", late);
          default -> unavailable("the head was not entered: " + cause, cause);
        });
  }

  private synchronized TLedgerWriter writer(LedgerId tLedger) throws RequestRejectedException {
    if (closed) {
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "the shard is let go");
    }
    TLedgerWriter open = writer;
    if (open == null) {
      open = opened(tLedger);
      writer = open;
    } else if (!open.tLedger().equals(tLedger)) {
      throw new RequestRejectedException(
          RejectionCode.UNKNOWN_LEDGER, "ledger " + tLedger + " is no T-Ledger");
    }
    return open;
  }

  /// The path of a file that it lacks is for the operator.
  private TLedgerWriter opened(LedgerId tLedger) throws RequestRejectedException {
    MeterRegistry its = meters.get();
    boolean done = false;
    try {
      TLedgerWriter open = opening.open(node, tLedger, its);
      opened = its;
      done = true;
      return open;
    } catch (IOException e) {
      LOG.error("T-Ledger {} cannot be written here: {}", tLedger, e.toString());
      throw unavailable("the server of the T-Ledger's shard cannot write it now", e);
    } finally {
      if (!done) {
        its.close();
      }
    }
  }

  private static RequestRejectedException unavailable(String why, Throwable cause) {
    return new RequestRejectedException(RejectionCode.UNAVAILABLE, why, cause);
  }

  @Override
  public void close() {
    TLedgerWriter open;
    MeterRegistry its;
    synchronized (this) {
      closed = true;
      open = writer;
      its = opened;
    }
    if (open != null) {
      open.close();
    }
    if (its != null) {
      its.close();
    }
  }
}

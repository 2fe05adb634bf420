package io.tallystick.cluster.server;

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
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// The T-Ledger of a cluster, while this server writes its shard: opened by the first head that is
/// submitted, closed with the shard. Its appends are fenced as all are. Thread-safe.
final class OwnedTLedger implements AutoCloseable {
  private final LedgerNode node;
  private final Opening opening;
  private @Nullable TLedgerWriter writer;
  private boolean closed;

  /// Opens it.
  @FunctionalInterface
  interface Opening {
    /// @throws RequestRejectedException `UNKNOWN_LEDGER` if that is not the cluster's T-Ledger
    /// @throws IOException if this server cannot write it, with the reason in one line
    TLedgerWriter open(LedgerNode node, LedgerId tLedger)
        throws IOException, RequestRejectedException;
  }

  OwnedTLedger(LedgerNode node, Opening opening) {
    this.node = node;
    this.opening = opening;
  }

  /// Enters a head, and waits for its block.
  TakenEntry take(NodeChange.SubmitHead submitted) throws RequestRejectedException {
    try {
      TakenHead taken =
          writer(submitted.tLedger())
              .take(
                  new SubmittedHead(
                      submitted.genesisParams(), submitted.keyChain(), submitted.entry()),
                  new SubmitterRule.Caller(submitted.address(), submitted.invitation()))
              .get();
      return new TakenEntry(taken.receiptFile(), taken.salt(), taken.body());
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RequestRejectedException refused
          ? refused
          : unavailable("the head was not entered: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable("the server is closing", e);
    }
  }

  private synchronized TLedgerWriter writer(LedgerId tLedger) throws RequestRejectedException {
    if (closed) {
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "the shard is let go");
    }
    TLedgerWriter open = writer;
    if (open == null) {
      try {
        open = opening.open(node, tLedger);
      } catch (IOException e) {
        throw unavailable("the T-Ledger cannot be written here: " + e.getMessage(), e);
      }
      writer = open;
    } else if (!open.tLedger().equals(tLedger)) {
      throw new RequestRejectedException(
          RejectionCode.UNKNOWN_LEDGER, "ledger " + tLedger + " is no T-Ledger");
    }
    return open;
  }

  private static RequestRejectedException unavailable(String why, Exception cause) {
    return new RequestRejectedException(RejectionCode.UNAVAILABLE, why, cause);
  }

  @Override
  public void close() {
    TLedgerWriter open;
    synchronized (this) {
      closed = true;
      open = writer;
    }
    if (open != null) {
      open.close();
    }
  }
}

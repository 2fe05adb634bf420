package io.tallystick.master.tledger;

import io.tallystick.evidence.KeyChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeChange;
import io.tallystick.node.TakenEntry;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/// A T-Ledger that the owner of its shard writes, a process of its own. Thread-safe.
public final class AskedTLedger implements TLedgerDoor, AutoCloseable {
  /// Heads that are under way; the owner's connection takes twice as many calls.
  static final int OPEN_MAX = 128;

  private static final long RETRY_MS = 1_000;

  private final LedgerNode node;
  private final StrandId strand;
  private final Semaphore places = new Semaphore(OPEN_MAX);
  private final ExecutorService calls =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("t-ledger-ask-", 0).factory());

  public AskedTLedger(LedgerNode node, LedgerId tLedger) {
    this.node = node;
    this.strand = new StrandId(tLedger, 0);
  }

  @Override
  public LedgerId tLedger() {
    return strand.ledger();
  }

  @Override
  public OptionalLong lastSize(LedgerId ledger) throws RequestRejectedException {
    return new HeldEntries(node, strand).lastSize(ledger);
  }

  @Override
  public Bytes genesisParams() throws RequestRejectedException {
    return node.ledger(strand.ledger()).genesisParams();
  }

  @Override
  public KeyChain keyChain() throws RequestRejectedException {
    return node.keyChain(strand.ledger());
  }

  @Override
  public CompletableFuture<TakenHead> take(SubmittedHead submitted, SubmitterRule.Caller caller)
      throws RequestRejectedException {
    CompletableFuture<TakenHead> taken = new CompletableFuture<>();
    NodeChange<TakenEntry> change =
        new NodeChange.SubmitHead(
            strand.ledger(),
            submitted.genesisParams(),
            submitted.keyChain(),
            submitted.entry(),
            caller.address(),
            caller.invitation());
    if (!places.tryAcquire()) {
      throw new RequestRejectedException(
              RejectionCode.RATE_LIMITED, OPEN_MAX + " heads are under way")
          .withLimit(OPEN_MAX)
          .retryAfterMs(RETRY_MS);
    }
    try {
      calls.execute(() -> ask(change, taken));
    } catch (RejectedExecutionException e) {
      places.release();
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "the T-Ledger is asked no more", e);
    }
    return taken;
  }

  private void ask(NodeChange<TakenEntry> change, CompletableFuture<TakenHead> taken) {
    try {
      TakenEntry entry = node.change(change);
      places.release();
      taken.complete(
          new TakenHead(strand.ledger(), entry.receiptFile(), entry.salt(), entry.body()));
    } catch (RequestRejectedException | RuntimeException | Error e) { // nobody else answers
      places.release();
      taken.completeExceptionally(e);
    }
  }

  @Override
  public void close() {
    calls.shutdownNow();
  }
}

package io.tallystick.master.tledger;

import io.tallystick.evidence.KeyChain;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeChange;
import io.tallystick.node.TakenEntry;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A T-Ledger that the owner of its shard writes, a process of its own. Thread-safe.
public final class AskedTLedger implements TLedgerDoor, AutoCloseable {
  private final LedgerNode node;
  private final StrandId strand;
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
  public CompletableFuture<TakenHead> take(SubmittedHead submitted, SubmitterRule.Caller caller) {
    CompletableFuture<TakenHead> taken = new CompletableFuture<>();
    NodeChange<TakenEntry> change =
        new NodeChange.SubmitHead(
            strand.ledger(),
            submitted.genesisParams(),
            submitted.keyChain(),
            submitted.entry(),
            caller.address(),
            caller.invitation());
    calls.execute(() -> {
      try {
        TakenEntry entry = node.change(change);
        taken.complete(
            new TakenHead(strand.ledger(), entry.receiptFile(), entry.salt(), entry.body()));
      } catch (RequestRejectedException | RuntimeException | Error e) { // nobody else answers
        taken.completeExceptionally(e);
      }
    });
    return taken;
  }

  @Override
  public void close() {
    calls.shutdownNow();
  }
}

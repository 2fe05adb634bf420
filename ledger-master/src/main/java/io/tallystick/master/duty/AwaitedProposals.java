package io.tallystick.master.duty;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.OpenProposals;
import java.time.Duration;

/// Waits until another process, which owns the ledger's shard, has submitted a proposal and noted
/// what became of it. Thread-safe.
public final class AwaitedProposals implements CompleteProposals {
  private static final Duration LOOK_FIRST = Duration.ofMillis(20);
  private static final Duration LOOK_MAX = Duration.ofMillis(500);

  private final LedgerNode node;
  private final Duration waitMax;

  /// @param waitMax after which a proposal is answered as it is
  public AwaitedProposals(LedgerNode node, Duration waitMax) {
    this.node = node;
    this.waitMax = waitMax;
  }

  @Override
  public KeptProposal submit(KeptProposal kept) throws RequestRejectedException {
    OpenProposals proposals = node.openProposals().orElseThrow();
    long beganNanos = System.nanoTime();
    Duration look = LOOK_FIRST;
    KeptProposal now = kept;
    while (now.outcome() instanceof Outcome.Submitting
        && System.nanoTime() - beganNanos < waitMax.toNanos()) {
      try {
        Thread.sleep(look);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return now;
      }
      look = look.multipliedBy(2).compareTo(LOOK_MAX) < 0 ? look.multipliedBy(2) : LOOK_MAX;
      now = proposals.find(kept.ledger(), kept.requestHash()).orElse(kept);
    }
    return now;
  }

  /// Nothing of it goes on.
  @Override
  public void close() {}
}

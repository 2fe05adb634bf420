package io.tallystick.cluster.server;

import io.tallystick.master.duty.ShardDuties;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Appending;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogRange;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.NodeRead;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.storage.replicated.ShardClaim;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// A shard's node that registers a ledger before it founds it, tells the shard's duties of what it
/// has changed, and enters heads into the T-Ledger. Of two servers that found one ledger at a time,
/// one goes on.
final class RegisteringNode implements LedgerNode {
  private final LedgerNode node;
  private final SharedOwnership ownership;
  private final ClusterRegistry registry;
  private final ShardDuties duties;
  private final OwnedTLedger tLedger;

  RegisteringNode(
      LedgerNode node,
      SharedOwnership ownership,
      ClusterRegistry registry,
      ShardDuties duties,
      OwnedTLedger tLedger) {
    this.node = node;
    this.ownership = ownership;
    this.registry = registry;
    this.duties = duties;
    this.tLedger = tLedger;
  }

  @Override
  public <R> R ask(NodeRead<R> read) throws RequestRejectedException {
    return node.ask(read);
  }

  @Override
  @SuppressWarnings("unchecked") // what a submitted head is answered
  public <R> CompletableFuture<R> changeLater(NodeChange<R> change)
      throws RequestRejectedException {
    return change instanceof NodeChange.SubmitHead submitted
        ? (CompletableFuture<R>) tLedger.take(submitted)
        : CompletableFuture.completedFuture(change(change));
  }

  @Override
  public <R> R change(NodeChange<R> change) throws RequestRejectedException {
    if (change instanceof NodeChange.SubmitHead) {
      return waited(changeLater(change));
    }
    if (change instanceof NodeChange.Found found) {
      register(found.founding().params().ledgerId());
    }
    R answer = node.change(change);
    duties.changed(change);
    return answer;
  }

  private static <R> R waited(CompletableFuture<R> answer) throws RequestRejectedException {
    try {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RequestRejectedException refused) {
        throw refused;
      }
      throw e;
    }
  }

  private void register(LedgerId ledger) throws RequestRejectedException {
    ShardClaim claim =
        ownership
            .claim()
            .orElseThrow(() ->
                new RequestRejectedException(
                    RejectionCode.UNAVAILABLE, "the shard is not claimed"));
    try {
      int shard = registry.found(claim, ledger).shard();
      if (shard != claim.shard().shard()) {
        throw new RequestRejectedException(
            RejectionCode.UNAVAILABLE,
            String.format(Locale.ROOT, "ledger %s belongs to shard %d: ask again", ledger, shard));
      }
    } catch (IOException | CorruptStreamException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "the ledger could not be registered: " + e.getMessage(), e);
    }
  }

  @Override
  public void append(List<Appending> submissions, int following) {
    node.append(submissions, following);
  }

  @Override
  public void readLog(LogRange range, LogVisitor visitor) throws RequestRejectedException {
    node.readLog(range, visitor);
  }

  @Override
  public ServiceIdentity identity() {
    return node.identity();
  }

  @Override
  public long timeMs() {
    return node.timeMs();
  }

  @Override
  public long clockMs() {
    return node.clockMs();
  }

  @Override
  public NodeHealth health() {
    return node.health();
  }

  /// Leaves the node to whoever opened it.
  @Override
  public void close() {}
}

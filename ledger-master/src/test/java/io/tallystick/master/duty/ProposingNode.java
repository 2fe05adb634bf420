package io.tallystick.master.duty;

import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Appending;
import io.tallystick.node.Done;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.node.KeptRead;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogRange;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.NodeRead;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.testkit.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/// A node that keeps proposals in memory, and no ledger.
final class ProposingNode implements LedgerNode {
  private final Map<Digest, KeptProposal> kept = new TreeMap<>();
  private final List<NodeChange<?>> changes = new ArrayList<>();
  private Consumer<NodeChange<?>> heard = change -> {};

  /// Tells of each change after it is made.
  synchronized void tell(Consumer<NodeChange<?>> listener) {
    heard = listener;
  }

  synchronized Optional<KeptProposal> find(Digest requestHash) {
    return Optional.ofNullable(kept.get(requestHash));
  }

  synchronized long changes(Class<?> kind) {
    return changes.stream().filter(kind::isInstance).count();
  }

  @Override
  @SuppressWarnings("unchecked") // each branch answers as its question says
  public synchronized <R> R ask(NodeRead<R> read) throws RequestRejectedException {
    return switch (read) {
      case KeptRead.Proposal it -> (R) find(it.requestHash());
      case KeptRead.Submitting _ ->
          (R)
              kept.values().stream()
                  .filter(each -> each.outcome() instanceof Outcome.Submitting)
                  .toList();
      default -> throw new RequestRejectedException(RejectionCode.UNAVAILABLE, read.toString());
    };
  }

  @Override
  @SuppressWarnings("unchecked") // each branch answers as its change says
  public <R> R change(NodeChange<R> change) throws RequestRejectedException {
    Object answer;
    Consumer<NodeChange<?>> listener;
    synchronized (this) {
      changes.add(change);
      listener = heard;
      answer =
          switch (change) {
            case NodeChange.ReplaceProposal it -> replace(it);
            case NodeChange.DropGoneProposals _, NodeChange.DropExpiredCertificates _ -> Done.DONE;
            default ->
                throw new RequestRejectedException(RejectionCode.UNAVAILABLE, change.toString());
          };
    }
    listener.accept(change);
    return (R) answer;
  }

  private boolean replace(NodeChange.ReplaceProposal change) {
    Digest hash = change.after().requestHash();
    if (!find(hash).equals(change.before())) {
      return false;
    }
    kept.put(hash, change.after());
    return true;
  }

  @Override
  public void append(List<Appending> submissions, int following) {
    throw new AssertionError("nothing is appended here");
  }

  @Override
  public void readLog(LogRange range, LogVisitor visitor) {
    throw new AssertionError("there is no log");
  }

  @Override
  public ServiceIdentity identity() {
    return new ServiceIdentity(
        new Authority("localhost"), Fixtures.ALICE.publicKey(), Fixtures.ALICE.publicKey());
  }

  @Override
  public long timeMs() {
    return Fixtures.TIME_MS;
  }

  @Override
  public NodeHealth health() {
    return new NodeHealth(true, true, "");
  }

  @Override
  public void close() {}
}

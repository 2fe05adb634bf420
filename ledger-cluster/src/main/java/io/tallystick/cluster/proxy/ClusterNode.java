package io.tallystick.cluster.proxy;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.Appending;
import io.tallystick.node.ClueRead;
import io.tallystick.node.Done;
import io.tallystick.node.KeptRead;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LedgerView;
import io.tallystick.node.LogRange;
import io.tallystick.node.LogRead;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.NodeRead;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.PurgeRead;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.StateRead;
import io.tallystick.node.TimeRead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// All shards of a cluster as one node: what names a ledger goes to the owner of its shard, or to
/// who follows it ({@link SpreadReads}), what names none is asked of all owners, and their answers
/// are put together. Keeps nothing. Thread-safe.
public final class ClusterNode implements LedgerNode {
  /// How long an append waits while its shard changes hands.
  private static final long PARK_MILLIS = 2_000;

  private static final long PARKED_BYTES_MAX = 64L << 20;

  private final Routes routes;
  private final Standing standing;
  private final AutoCloseable connections;
  private final ParkedAppends appends;
  private final SpreadReads reads;

  /// How the cluster is, without asking anybody. Never blocks.
  public interface Standing {
    ServiceIdentity identity();

    long timeMs();

    long clockMs();

    NodeHealth health();
  }

  /// @param connections closed with this node
  public ClusterNode(Routes routes, Standing standing, AutoCloseable connections) {
    this.routes = routes;
    this.standing = standing;
    this.connections = connections;
    this.reads = new SpreadReads(routes);
    this.appends = new ParkedAppends(this::toOwners, PARK_MILLIS, PARKED_BYTES_MAX);
  }

  @Override
  @SuppressWarnings("unchecked") // each branch answers as its question says
  public <R> R ask(NodeRead<R> read) throws RequestRejectedException {
    return switch (read) {
      case LedgerRead.Ledgers it -> (R) ledgers(it);
      case LedgerRead.Founded it -> (R) founded(it);
      case LedgerRead.Count it -> (R) sum(it);
      case TimeRead.Unanchored it -> (R) MergedHeads.of(routes.reached(), it);
      case KeptRead.Submitting it -> (R) together(it);
      case OutsideRead.WantedTimes it -> (R) ofReached(it);
      case KeptRead.OpenCount it -> (R) sum(it);
      case OutsideRead.MarkedCount it -> (R) sum(it);
      default -> reads.ask(ledgerOf(read), read);
    };
  }

  private static LedgerId ledgerOf(NodeRead<?> read) {
    return switch (read) {
      case LogRead<?> it -> it.strand().ledger();
      case ClueRead<?> it -> it.strand().ledger();
      case StateRead<?> it -> it.strand().ledger();
      case PurgeRead<?> it -> it.strand().ledger();
      case LedgerRead<?> it -> ledgerOf(it);
      case TimeRead.Newest it -> it.strand().ledger();
      case TimeRead.Stamped it -> it.strand().ledger();
      case TimeRead.LastAt it -> it.strand().ledger();
      case KeptRead.Proposal it -> it.ledger();
      case KeptRead.Proposals it -> it.ledger();
      case KeptRead.NearestAnchor it -> it.strand().ledger();
      case KeptRead.Certificates it -> it.ledger();
      case OutsideRead.WhyNoTime it -> it.strand().ledger();
      case OutsideRead.Cosigned it -> it.strand().ledger();
      case OutsideRead.Marks it -> it.ledger();
      case TimeRead.Unanchored _,
          KeptRead.Submitting _,
          KeptRead.OpenCount _,
          OutsideRead.WantedTimes _,
          OutsideRead.MarkedCount _ ->
          throw new IllegalArgumentException(read + " names no ledger");
    };
  }

  private static LedgerId ledgerOf(LedgerRead<?> read) {
    return switch (read) {
      case LedgerRead.Ledger it -> it.id();
      case LedgerRead.NotDeleted it -> it.id();
      case LedgerRead.Members it -> it.id();
      case LedgerRead.Keys it -> it.id();
      case LedgerRead.Chain it -> it.id();
      case LedgerRead.IsPublic it -> it.id();
      case LedgerRead.FindMember it -> it.id();
      case LedgerRead.FindSigner it -> it.id();
      case LedgerRead.Possible it -> it.header().strand().ledger();
      case LedgerRead.Ledgers _,
          LedgerRead.Founded _,
          LedgerRead.Count _,
          LedgerRead.NewestFrame _ ->
          throw new IllegalArgumentException(read + " names no ledger");
    };
  }

  /// Each shard lists in the order of ids.
  private List<LedgerView> ledgers(LedgerRead.Ledgers read) throws RequestRejectedException {
    return together(read).stream()
        .sorted(Comparator.comparing(LedgerView::id))
        .limit(read.limit())
        .toList();
  }

  private List<LedgerId> founded(LedgerRead.Founded read) throws RequestRejectedException {
    return together(read).stream().sorted().limit(read.limit()).toList();
  }

  private <T> List<T> together(NodeRead<List<T>> read) throws RequestRejectedException {
    List<T> all = new ArrayList<>();
    for (LedgerNode owner : routes.all()) {
      all.addAll(owner.ask(read));
    }
    return all;
  }

  /// Of those who answer: what is done for each ledger by itself does not wait for one shard.
  ///
  /// @throws RequestRejectedException if nobody answers
  private <T> List<T> ofReached(NodeRead<List<T>> read) throws RequestRejectedException {
    List<T> all = new ArrayList<>();
    RequestRejectedException refusal =
        new RequestRejectedException(RejectionCode.UNAVAILABLE, "no shard has an owner");
    boolean answered = false;
    for (LedgerNode owner : routes.reached()) {
      try {
        all.addAll(owner.ask(read));
        answered = true;
      } catch (RequestRejectedException e) {
        refusal = e;
      }
    }
    if (!answered) {
      throw refusal;
    }
    return all;
  }

  private Long sum(NodeRead<Long> read) throws RequestRejectedException {
    long sum = 0;
    for (LedgerNode owner : routes.all()) {
      sum += owner.ask(read);
    }
    return sum;
  }

  @Override
  @SuppressWarnings("unchecked") // each branch answers as its change says
  public <R> R change(NodeChange<R> change) throws RequestRejectedException {
    return switch (change) {
      case NodeChange.Found it -> (R) routes.toFound(it.founding().params().ledgerId()).change(it);
      case NodeChange.DropGoneProposals it -> (R) everywhere(it);
      case NodeChange.DropExpiredCertificates it -> (R) everywhere(it);
      default -> routes.of(ledgerOf(change)).change(change);
    };
  }

  private static LedgerId ledgerOf(NodeChange<?> change) {
    return switch (change) {
      case NodeChange.MakeReadOnly it -> it.ledger();
      case NodeChange.LiftReadOnly it -> it.ledger();
      case NodeChange.AppendTime it -> it.anchor().strand().ledger();
      case NodeChange.WantTime it -> it.strand().ledger();
      case NodeChange.NoTime it -> it.strand().ledger();
      case NodeChange.ShowCosigned it -> it.strand().ledger();
      case NodeChange.ReplaceProposal it -> it.after().ledger();
      case NodeChange.RemoveProposal it -> it.kept().ledger();
      case NodeChange.KeepAnchor it -> it.anchor().anchor().strand().ledger();
      case NodeChange.ShowCertificates it -> it.ledger();
      case NodeChange.EraseCertificates it -> it.ledger();
      case NodeChange.PrepareSnapshot it -> it.strand().ledger();
      case NodeChange.SubmitHead it -> it.tLedger();
      case NodeChange.Found _,
          NodeChange.DropGoneProposals _,
          NodeChange.DropExpiredCertificates _ ->
          throw new IllegalArgumentException(change + " names no ledger that there is");
    };
  }

  private Done everywhere(NodeChange<Done> change) throws RequestRejectedException {
    Done done = null;
    for (LedgerNode owner : routes.all()) {
      done = owner.change(change);
    }
    if (done == null) {
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "the cluster has no shards");
    }
    return done;
  }

  @Override
  public void append(List<Appending> submissions, int following) {
    appends.append(submissions, following);
  }

  /// Submissions for one owner stay together and in order.
  private void toOwners(List<Appending> submissions, int following) {
    if (submissions.size() == 1) {
      LedgerNode owner = ownerOf(submissions.getFirst());
      if (owner != null) {
        owner.append(submissions, following);
      }
      return;
    }
    IdentityHashMap<LedgerNode, List<Appending>> byOwner = new IdentityHashMap<>();
    for (Appending each : submissions) {
      LedgerNode owner = ownerOf(each);
      if (owner != null) {
        byOwner.computeIfAbsent(owner, _ -> new ArrayList<>()).add(each);
      }
    }
    byOwner.forEach((owner, its) -> owner.append(its, following));
  }

  /// Null if there is none: the submission has been told why.
  private @Nullable LedgerNode ownerOf(Appending each) {
    try {
      return routes.of(each.submission().strand().ledger());
    } catch (RequestRejectedException refusal) {
      each.waiter().failed(refusal);
      return null;
    }
  }

  @Override
  public void readLog(LogRange range, LogVisitor visitor) throws RequestRejectedException {
    routes.of(range.strand().ledger()).readLog(range, visitor);
  }

  @Override
  public ServiceIdentity identity() {
    return standing.identity();
  }

  @Override
  public long timeMs() {
    return standing.timeMs();
  }

  @Override
  public long clockMs() {
    return standing.clockMs();
  }

  @Override
  public NodeHealth health() {
    return standing.health();
  }

  @Override
  public void close() throws IOException {
    appends.close();
    try {
      connections.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("the connections did not close", e);
    }
  }
}

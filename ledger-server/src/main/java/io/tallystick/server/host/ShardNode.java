package io.tallystick.server.host;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.Appending;
import io.tallystick.node.KeptState;
import io.tallystick.node.KeptStates;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LogRange;
import io.tallystick.node.LogVisitor;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.NodeRead;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.StatePruning;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.FollowingShard;
import io.tallystick.server.shard.LeasedVisitor;
import io.tallystick.server.shard.OwnerLease;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.shard.ShardThreads;
import io.tallystick.server.state.StrandVersions;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;

/// A node that hosts one shard.
public final class ShardNode implements LedgerNode, KeptStates {
  private final ShardThreads threads;
  private final Shard shard;
  private final ServiceIdentity identity;
  private final StrandReads strands;
  private final ShardReads reads;
  private final ShardChanges changes;

  private ShardNode(
      ShardThreads threads, HeadSigner signer, ShardStorage storage, BatchHasher hasher) {
    this.threads = threads;
    this.shard = threads.shard();
    this.identity = signer.identity();
    this.strands = new StrandReads(shard);
    ShardTimeJournals times = new ShardTimeJournals(shard, strands, signer, new SecureRandom());
    ShardPurges purges = new ShardPurges(shard, strands, storage.disk(), hasher);
    RemovalReads removals = new RemovalReads(shard, signer);
    OutsideWords words = new OutsideWords(shard.time()::millis);
    this.reads = new ShardReads(shard, strands, removals, times, purges, words);
    this.changes =
        new ShardChanges(shard, new Foundings(shard, identity), reads, times, purges, words);
  }

  /// Recovers the shard and serves it. The storage stays the caller's to close, after the node.
  ///
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static ShardNode open(
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer,
      MeterRegistry registry)
      throws IOException, CorruptStreamException {
    return new ShardNode(
        ShardThreads.start(storage, config, hasher, signer, registry), signer, storage, hasher);
  }

  /// Has a shard that follows its stream claim and serve it. It is closed if that fails.
  ///
  /// @param storage of that shard
  /// @throws CorruptStreamException if what is stored contradicts itself
  static ShardNode promote(
      FollowingShard following,
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer)
      throws IOException, CorruptStreamException {
    return new ShardNode(
        ShardThreads.promote(following, storage.stream(), config), signer, storage, hasher);
  }

  Shard shard() {
    return shard;
  }

  @Override
  public ServiceIdentity identity() {
    return identity;
  }

  @Override
  public long timeMs() {
    return shard.time().millis();
  }

  @Override
  public long clockMs() {
    return shard.time().clockMs();
  }

  @Override
  public <R> R ask(NodeRead<R> read) throws RequestRejectedException {
    return reads.answer(read);
  }

  @Override
  public <R> R change(NodeChange<R> change) throws RequestRejectedException {
    return changes.carryOut(change);
  }

  @Override
  public void append(List<Appending> submissions, int following) {
    shard.append(submissions, following);
  }

  @Override
  public void readLog(LogRange range, LogVisitor visitor) throws RequestRejectedException {
    OwnerLease lease = shard.lease();
    if (range.to() == 0 || range.withBodies()) {
      lease.await();
    }
    LeasedVisitor leased = new LeasedVisitor(lease, visitor);
    this.<Boolean>read(
        range.strand(),
        index -> {
          if (range.journals()) {
            shard.log().checkReadable(index, range.from());
          }
          long size = StrandReads.coveringSize(index, range.from(), range.to());
          if (range.to() == 0) {
            lease.await(); // nobody else has written since it was read
          }
          LogVisitor each = range.withBodies() ? leased : visitor;
          shard.log().walk(index, range.from(), size, range.withBodies(), each);
          leased.check();
          return true;
        });
  }

  /// See {@link io.tallystick.node.HostedNode#trust}.
  void trust(CertificateAuthorities authorities) {
    shard.tables().chains().trust(authorities);
  }

  @Override
  public List<KeptState> keptStates() {
    return StrandVersions.of(shard.indexer().openStrands());
  }

  @Override
  public KeptState pruneState(LedgerId id, StatePruning pruning) throws RequestRejectedException {
    return read(
        new StrandId(id, 0),
        index -> StrandVersions.prune(index, pruning, shard.removals().past()));
  }

  @Override
  public NodeHealth health() {
    return ShardHealth.of(shard);
  }

  @Override
  public void close() throws IOException {
    threads.close();
  }

  private <T> T read(StrandId strand, StrandReads.StrandRead<T> read)
      throws RequestRejectedException {
    return strands.read(strand, read);
  }
}

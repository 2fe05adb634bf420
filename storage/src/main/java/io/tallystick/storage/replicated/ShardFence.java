package io.tallystick.storage.replicated;

import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Closes shards whose ledgers go on in another cluster, which their owner's path names from then
/// on. One thread's. Source: `docs/formats/replicated.md`.
public final class ShardFence {
  private final ReplicatedLogs logs;
  private final Coordination coordination;
  private final ClusterPaths paths;
  private final RandomGenerator nonces;
  private final String successor;
  private final ShardClaims claims;

  /// A shard that was closed.
  ///
  /// @param before whose place the fence took
  public record Closed(ShardClaim claim, ShardOwner before) {}

  /// @param paths of the cluster whose shards are closed
  /// @param successor name of the cluster in which they go on
  public ShardFence(
      ReplicatedLogs logs,
      Coordination coordination,
      ClusterPaths paths,
      String successor,
      RandomGenerator nonces) {
    this.logs = logs;
    this.coordination = coordination;
    this.paths = paths;
    this.nonces = nonces;
    this.successor = successor;
    this.claims =
        new ShardClaims(
            coordination,
            paths,
            new ShardClaims.Server(ShardOwner.closer(successor), "", ShardOwner.CLOSED),
            nonces);
  }

  /// Closes a shard: no server and no import claims it any more, and nothing more is confirmed to
  /// whoever writes it. For the same cluster it can be called again.
  ///
  /// @throws ShardNotEmptyException if it goes on in yet another cluster; nothing is changed
  public Closed close(StreamId shard)
      throws IOException, CorruptStreamException, ShardNotEmptyException {
    ShardClaims.Seen over =
        claims
            .owner(shard)
            .orElseThrow(() ->
                new StreamFencedException(
                    String.format(
                        Locale.ROOT,
                        "there is no shard %d in cluster %s",
                        shard.shard(),
                        paths.cluster())));
    refuseOther(shard, over.owner());
    Closed closed = new Closed(claims.claim(shard, over), over.owner());
    try {
      for (ListedSegment each : new SegmentTable(coordination, paths, shard).read(0)) {
        logs.recover(each.record().log()).close();
      }
      return closed;
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      openAfter(e, closed);
      throw e;
    }
  }

  private void openAfter(Exception failure, Closed closed) {
    try {
      open(closed);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /// @throws ShardNotEmptyException if the shard goes on in yet another cluster
  public void checkFree(StreamId shard)
      throws IOException, CorruptStreamException, ShardNotEmptyException {
    Optional<ShardClaims.Seen> seen = claims.owner(shard);
    if (seen.isPresent()) {
      refuseOther(shard, seen.get().owner());
    }
  }

  private void refuseOther(StreamId shard, ShardOwner owner) throws ShardNotEmptyException {
    Optional<String> other = owner.successor();
    if (other.isPresent() && !other.get().equals(successor)) {
      throw new ShardNotEmptyException(shard, other.get());
    }
  }

  /// Takes a fence back: whoever could claim the shard before can again. Nothing of it may be in
  /// the other cluster; a shard that an earlier call had closed stays so.
  public void open(Closed closed) throws IOException {
    if (closed.before().successor().isPresent()) {
      return;
    }
    ShardClaim claim = closed.claim();
    ShardOwner again = closed.before().again(claim.epoch(), nonces.nextLong());
    claims
        .changes(claim)
        .commit(
            List.of(new Change.Put(paths.owner(claim.shard()), again.encode(), claim.version())));
  }
}

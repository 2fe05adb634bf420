package io.tallystick.server.sim.cluster;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.server.saved.SavepointRow;
import io.tallystick.server.shard.FollowingShard;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.time.InstantSource;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// What one process of a server stands on.
final class ServerSeat extends SharedOwnership {
  private final ClusterWorld world;
  private final String server;
  private final LongConsumer sleep;
  private final InstantSource clock;
  private final InMemoryDisk disk;
  private final InMemoryMetaStore meta;
  private final Coordination coordination;
  private final ReplicatedStreamStore store;
  private final StreamStore streams;
  private final ShardClaims claims;
  private @Nullable StreamPosition shipped;
  private long claimedEpoch;

  private ServerSeat(
      ClusterWorld world,
      String server,
      LongConsumer sleep,
      InstantSource clock,
      InMemoryDisk disk,
      InMemoryMetaStore meta,
      ReplicatedLogs logs,
      Coordination coordination,
      ShardClaims claims) {
    super(claims, SimServer.SHARD, server);
    this.world = world;
    this.server = server;
    this.sleep = sleep;
    this.clock = clock;
    this.disk = disk;
    this.meta = meta;
    this.coordination = coordination;
    this.claims = claims;
    this.store =
        new ReplicatedStreamStore(
            logs,
            coordination,
            world.twins().paths(),
            claims,
            TwinCluster.SMALL,
            world.random().split(),
            () -> world.baton().nowNanos() / 1_000_000);
    this.streams = world.bugs().streams(store, claims);
  }

  /// @param server its name
  /// @param steps that it takes towards others
  /// @param sleep lets nanoseconds pass
  static ServerSeat of(
      ClusterWorld world,
      String server,
      Steps steps,
      LongConsumer sleep,
      InstantSource clock,
      InMemoryDisk disk,
      InMemoryMetaStore meta) {
    ReplicatedLogs logs = world.twins().logs().client(steps);
    Coordination plain = world.twins().coordination().client(steps);
    PlantedBugs.Facades facades = world.bugs().facades(logs, plain);
    ShardClaims claims =
        new ShardClaims(
            facades.coordination(),
            world.twins().paths(),
            new ShardClaims.Server(server, server + ":1", 1),
            world.random().split());
    return new ServerSeat(
        world, server, sleep, clock, disk, meta, facades.logs(), facades.coordination(), claims);
  }

  /// Begins with what is on the disk.
  FollowingShard follow() throws IOException, CorruptStreamException {
    return FollowingShard.open(
        new ShardStorage(disk, meta, streams, SimServer.SHARD, this, clock, this),
        world.config(),
        world.arrays(),
        new CpuBatchHasher(),
        world.signer(),
        new CompositeMeterRegistry());
  }

  @Override
  public long next(StreamId stream) throws IOException, CorruptStreamException {
    claimedEpoch = super.next(stream);
    shipped = null; // the owner before may have moved the pointer
    return claimedEpoch;
  }

  @Override
  public boolean fetchSavepoint(StreamPosition at) throws IOException {
    boolean fetched = world.shipped().fetch(coordination, at, disk, meta);
    world.statistics().fetched += fetched ? 1 : 0;
    return fetched;
  }

  @Override
  public long shippedTo() {
    StreamPosition to = shipped;
    return to == null ? 0 : to.frame();
  }

  @Override
  public long nanoTime() {
    return world.baton().nowNanos();
  }

  @Override
  public void pause(long nanos) {
    sleep.accept(nanos);
  }

  /// Takes a savepoint and ships it.
  void ship(Shard shard) throws IOException, CorruptStreamException {
    if (!shard.savepoint()) {
      return;
    }
    ShardClaims.Seen seen = claims.owner(SimServer.SHARD).orElseThrow();
    if (seen.owner().epoch() == claimedEpoch && seen.owner().server().equals(server)) {
      String owner = "/ts/" + world.twins().paths().cluster() + "/shards/0/owner";
      shipped =
          world.shipped().ship(coordination, new Change.Check(owner, seen.version()), disk, meta);
      world.statistics().shipped++;
    }
  }

  /// Drops the segments that no savepoint needs any more, as a purge of everything would.
  void drop() throws IOException, CorruptStreamException {
    long to = shippedTo();
    if (world.bugs().is(Bug.ERASES_PAST_SHIPPED)) {
      to = SavepointRow.of(meta).position().frame();
    }
    try (StreamEraser eraser = streams.openEraser(SimServer.SHARD)) {
      if (to > 0 && eraser.canDropBefore(to)) {
        eraser.dropBefore(to);
        world.statistics().dropped++;
      }
    }
  }

  void sweep() throws IOException, CorruptStreamException {
    world.statistics().swept += store.upkeep(SimServer.SHARD).sweep();
    var _ = store.upkeep(SimServer.SHARD).deleteRetired();
  }
}

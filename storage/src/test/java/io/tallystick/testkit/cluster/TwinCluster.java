package io.tallystick.testkit.cluster;

import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.replicated.ReplicatedSettings;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/// Twins that some servers share, and what each server stands on. One seed decides everything.
public final class TwinCluster {
  /// Small, so that short runs cross segments and pieces.
  public static final ReplicatedSettings SMALL =
      new ReplicatedSettings(2048, Long.MAX_VALUE, 1000, 256);

  private static final ClusterPaths PATHS = new ClusterPaths("twins");

  private final SplittableRandom random;
  private final TwinLogs logs;
  private final TwinCoordination coordination;
  private final AtomicLong millis = new AtomicLong();

  public TwinCluster(long seed) {
    random = new SplittableRandom(seed);
    logs = new TwinLogs(Quorum.FULL.ensemble(), random.split());
    coordination = new TwinCoordination(random.split());
  }

  /// What a server stands on. If it dies, another of the same name may follow it.
  public record Server(
      ReplicatedLogs logs,
      Coordination coordination,
      ShardClaims claims,
      ReplicatedStreamStore store) {}

  public Server server(String name, Steps steps, ReplicatedSettings settings) {
    ReplicatedLogs itsLogs = logs.client(steps);
    Coordination its = coordination.client(steps);
    ShardClaims claims =
        new ShardClaims(its, PATHS, new ShardClaims.Server(name, name + ":1", 1), random.split());
    ReplicatedStreamStore store =
        new ReplicatedStreamStore(
            itsLogs, its, PATHS, claims, settings, random.split(), millis::get);
    return new Server(itsLogs, its, claims, store);
  }

  /// Makes shards that nobody has claimed; those that are there stay.
  public void found(StreamId... shards) throws IOException {
    ShardClaims.found(coordination.client(Steps.NONE), PATHS, List.of(shards), random.split());
  }

  public ClusterPaths paths() {
    return PATHS;
  }

  public TwinLogs logs() {
    return logs;
  }

  public TwinCoordination coordination() {
    return coordination;
  }

  /// From now on things go wrong so often.
  public void faults(TwinFaults faults) {
    logs.faults(faults);
    coordination.faults(faults);
  }

  /// Time goes on for all servers.
  public void pass(long moreMillis) {
    millis.addAndGet(moreMillis);
  }
}

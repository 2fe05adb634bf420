package io.tallystick.server.sim.cluster;

import io.tallystick.model.Authority;
import io.tallystick.node.BlockLimits;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardConfig.Commits;
import io.tallystick.server.shard.ShardConfig.DiskLimits;
import io.tallystick.server.shard.ShardConfig.Indexing;
import io.tallystick.server.shard.ShardConfig.Requests;
import io.tallystick.server.shard.ShardConfig.Savepoints;
import io.tallystick.server.sim.FakeSignatures;
import io.tallystick.server.sim.Violation;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.testkit.cluster.TwinCluster;
import java.util.SplittableRandom;

/// What all servers and clients of a run share.
///
/// @param history told of all heads that are signed
record ClusterWorld(
    SplittableRandom random,
    Baton baton,
    TwinCluster twins,
    SimSavepoints shipped,
    PlantedBugs bugs,
    ClusterHistory history,
    ClusterStatistics statistics,
    ShardConfig config,
    ArrayLimits arrays,
    FakeSignatures.Key note,
    FakeSignatures.Key receipt) {
  static final Authority AUTHORITY = new Authority("localhost");

  static ClusterWorld draw(SplittableRandom random, Bug bug) {
    ClusterHistory history = new ClusterHistory();
    Baton baton = new Baton(random.split(), 20 + random.nextInt(300), 1 + random.nextInt(8));
    return new ClusterWorld(
        random.split(),
        baton,
        new TwinCluster(random.nextLong()),
        new SimSavepoints(),
        new PlantedBugs(bug),
        history,
        new ClusterStatistics(),
        config(random),
        new ArrayLimits(
            random.nextBoolean() ? 512 : 1 << 21, 1024, random.nextBoolean() ? 8 : 1024),
        FakeSignatures.key(random, message -> witness(baton, () -> history.signingNote(message))),
        FakeSignatures.key(
            random, message -> witness(baton, () -> history.signingReceipt(message))));
  }

  /// The shard takes what a key throws for a failure of its own.
  private static void witness(Baton baton, Runnable signing) {
    try {
      signing.run();
    } catch (Violation e) {
      baton.fail(e);
      throw e;
    }
  }

  private static ShardConfig config(SplittableRandom random) {
    return new ShardConfig(
        new Requests(64L << 20, 1L << 20, 1),
        new Commits(random.nextBoolean() ? 2_000 : 4 << 20, 0, 0, 0),
        new Indexing(3, 64L << 20, random.nextBoolean() ? 1 : 4_096),
        new Savepoints(random.nextBoolean() ? 10 : 1 << 20, 64L << 20, 2_048, Long.MAX_VALUE),
        new DiskLimits(0, Long.MAX_VALUE),
        BlockLimits.DEFAULT,
        ForestLimits.DEFAULT,
        ShardConfig.defaults().shipping());
  }

  HeadSigner signer() {
    return new HeadSigner(AUTHORITY, note, receipt);
  }
}

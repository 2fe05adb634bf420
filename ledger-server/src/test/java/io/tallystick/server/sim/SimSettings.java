package io.tallystick.server.sim;

import io.tallystick.node.BlockLimits;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardConfig.Commits;
import io.tallystick.server.shard.ShardConfig.DiskLimits;
import io.tallystick.server.shard.ShardConfig.Indexing;
import io.tallystick.server.shard.ShardConfig.Requests;
import io.tallystick.server.shard.ShardConfig.Savepoints;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.storage.forest.VersionLimits;
import io.tallystick.storage.stream.StreamSettings;
import java.util.SplittableRandom;

/// What kind of run a seed is: sizes small enough that a short run meets every boundary, and how
/// often which fault strikes. A run in which some faults never strike finds what many faults at
/// once would hide.
///
/// @param clients that talk to the shard
/// @param ledgersMax founded in the run
/// @param dropPermille messages of a thousand that are lost, either way
/// @param duplicatePermille messages of a thousand that come twice
/// @param delayMicrosMax of a usual message; every fiftieth takes up to a thousand times as long
/// @param crashMicros mean time between crashes
/// @param diskFaultPercent disks of a hundred that fail at one of their operations
/// @param damageMicros mean time between damages
/// @param clockMicros mean time between steps of the clock
/// @param spaceMicros mean time between shortages of disk space
/// @param removes whether clients remove journals
/// @param noteMicros mean time between proposals and anchors
record SimSettings(
    ShardConfig shard,
    StreamSettings stream,
    ArrayLimits arrays,
    int clients,
    int ledgersMax,
    int dropPermille,
    int duplicatePermille,
    int delayMicrosMax,
    long crashMicros,
    int diskFaultPercent,
    long damageMicros,
    long clockMicros,
    long spaceMicros,
    boolean removes,
    long noteMicros) {
  static final long FREE_BYTES_MIN = 64 << 10;
  private static final long NEVER = 1L << 50;

  static SimSettings draw(SplittableRandom random) {
    return new SimSettings(
        shard(random),
        stream(random),
        new ArrayLimits(
            oneOf(random, 0, 64, 512, 4096, 1 << 21),
            (int) oneOf(random, 64, 1024, 65536),
            (int) oneOf(random, 2, 8, 1024)),
        1 + random.nextInt(6),
        1 + random.nextInt(4),
        (int) oneOf(random, 0, 10, 100, 300),
        (int) oneOf(random, 0, 10, 100, 300),
        (int) oneOf(random, 100, 2_000, 20_000),
        oneOf(random, 50_000, 200_000, 1_000_000, NEVER),
        (int) oneOf(random, 0, 50, 95),
        oneOf(random, 15_000, 60_000, NEVER),
        oneOf(random, 100_000, 1_000_000, NEVER),
        oneOf(random, 50_000, 1_000_000, NEVER),
        random.nextBoolean(),
        oneOf(random, 1_500, 4_000, 20_000, NEVER));
  }

  private static ShardConfig shard(SplittableRandom random) {
    var commits = new Commits((int) oneOf(random, 1, 2_000, 20_000, 4 << 20), 0, 0, 0);
    int aheadFrames = (int) oneOf(random, 1, 3, 16);
    var requests = new Requests(oneOf(random, 4_000, 64L << 20, 64L << 20, 64L << 20), 1L << 20, 1);
    var savepoints =
        new Savepoints(
            oneOf(random, 1, 10, 60, 1 << 20),
            oneOf(random, 4_000, 64L << 20),
            (int) oneOf(random, 1, 3, 2_048),
            Long.MAX_VALUE);
    var indexing = new Indexing(aheadFrames, 64L << 20, (int) oneOf(random, 0, 1, 4_096));
    return new ShardConfig(
        requests,
        commits,
        indexing,
        savepoints,
        new DiskLimits(FREE_BYTES_MIN, Long.MAX_VALUE),
        BlockLimits.DEFAULT,
        ForestLimits.DEFAULT.with(
            new VersionLimits(
                (int) oneOf(random, 1, 4, 40),
                oneOf(random, VersionLimits.AS_NEWEST, 10_000, Long.MAX_VALUE),
                oneOf(random, 2_000, 200_000))),
        ShardConfig.defaults().shipping());
  }

  private static StreamSettings stream(SplittableRandom random) {
    int segment = (int) oneOf(random, 2_000, 16_000, 100_000);
    int first = Math.min(segment, (int) oneOf(random, 512, 4_096));
    return new StreamSettings(segment, first, (int) oneOf(random, 700, 8_192));
  }

  private static long oneOf(SplittableRandom random, long... choices) {
    return choices[random.nextInt(choices.length)];
  }
}

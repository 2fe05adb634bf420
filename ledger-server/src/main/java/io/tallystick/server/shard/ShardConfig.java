package io.tallystick.server.shard;

import io.tallystick.journal.Limits;
import io.tallystick.node.BlockLimits;
import io.tallystick.node.NodeOptions;
import io.tallystick.server.sequencer.ReplayTable;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.storage.forest.VersionLimits;

/// Limits of one shard. Defaults are the figures of `docs/architecture.md`, "Memory bounds" and
/// "What is durable when".
///
/// @param requests what is admitted and answered
/// @param commits when a frame is written
/// @param indexing what is indexed after it
/// @param savepoints when a savepoint is made
/// @param disk what the disk must do
/// @param blocks how large a block becomes and how long it waits
/// @param states what states take
/// @param shipping when savepoints are shipped, in a cluster
public record ShardConfig(
    Requests requests,
    Commits commits,
    Indexing indexing,
    Savepoints savepoints,
    DiskLimits disk,
    BlockLimits blocks,
    ForestLimits states,
    Shipping shipping) {
  /// @param admittedBytesMax bytes of submissions admitted and not yet answered; beyond:
  ///   `RATE_LIMITED`
  /// @param replayBytesMax memory of the replay table, see {@link ReplayTable#bytesFor}
  /// @param answerThreads threads that make receipts
  public record Requests(long admittedBytesMax, long replayBytesMax, int answerThreads) {
    static final Requests DEFAULT =
        new Requests(64L << 20, ReplayTable.bytesFor(Limits.OPEN_SIGNATURES_MAX), 2);

    public Requests {
      atLeastOne("answerThreads", answerThreads);
    }

    public Requests withAdmittedBytesMax(long bytes) {
      return new Requests(bytes, replayBytesMax, answerThreads);
    }
  }

  /// @param frameBytesMax a frame takes no further submission once it holds this many bytes
  /// @param lingerMicros how long the commit thread waits for company when it has little to write
  /// @param lingerBytes with at least this much waiting it does not linger
  /// @param guardIdleMillis idle time after which a closing frame names unguarded seals
  public record Commits(
      int frameBytesMax, long lingerMicros, long lingerBytes, long guardIdleMillis) {
    static final Commits DEFAULT = new Commits(4 << 20, 300, 128 << 10, 10);

    public Commits {
      atLeastOne("frameBytesMax", frameBytesMax);
    }
  }

  /// @param aheadFrames frames committed ahead of indexing; few, so that blocks are large when
  ///   indexing is what takes long (decision 23)
  /// @param aheadBytes bytes committed ahead of indexing
  /// @param awakeStrandsMax strands whose arrays stay open, with the newest rows of each in memory:
  ///   some 6 KB a strand
  public record Indexing(int aheadFrames, long aheadBytes, int awakeStrandsMax) {
    static final Indexing DEFAULT = new Indexing(3, 64L << 20, 4_096);

    public Indexing {
      atLeastOne("aheadFrames", aheadFrames);
      atLeastOne("aheadBytes", aheadBytes);
    }

    public Indexing withAheadFrames(int frames) {
      return new Indexing(frames, aheadBytes, awakeStrandsMax);
    }
  }

  /// @param journals indexed since the last savepoint; four times as many, and four times the
  ///   bytes, while many clues wait for it (decision 23)
  /// @param bytes of the stream indexed since the last savepoint
  /// @param strands indexed since the last savepoint: each takes rows of its own in the savepoint,
  ///   and is opened when it is replayed
  /// @param millis since the last savepoint when anything changed
  public record Savepoints(long journals, long bytes, int strands, long millis) {
    static final Savepoints DEFAULT = new Savepoints(100_000, 64L << 20, 2_048, 10_000);

    public Savepoints {
      atLeastOne("strands", strands);
    }
  }

  /// @param freeBytesMin appends stop below this much free disk
  /// @param stallMillis a shard whose disk has been at one operation for so long is not ready
  public record DiskLimits(long freeBytesMin, long stallMillis) {
    static final DiskLimits DEFAULT =
        new DiskLimits(512L << 20, NodeOptions.DISK_STALL_DEFAULT.toMillis());

    public DiskLimits {
      atLeastOne("stallMillis", stallMillis);
    }
  }

  /// @param journals indexed since the last savepoint that was shipped
  /// @param restMillis since then when anything changed
  public record Shipping(long journals, long restMillis) {
    static final Shipping DEFAULT = new Shipping(100_000, 60_000);

    public Shipping {
      atLeastOne("journals", journals);
    }
  }

  private static void atLeastOne(String limit, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(limit + " is " + value + ", want 1 or more");
    }
  }

  public static ShardConfig defaults() {
    return new ShardConfig(
        Requests.DEFAULT,
        Commits.DEFAULT,
        Indexing.DEFAULT,
        Savepoints.DEFAULT,
        DiskLimits.DEFAULT,
        BlockLimits.DEFAULT,
        ForestLimits.DEFAULT,
        Shipping.DEFAULT);
  }

  public ShardConfig withRequests(Requests other) {
    return new ShardConfig(other, commits, indexing, savepoints, disk, blocks, states, shipping);
  }

  public ShardConfig withCommits(Commits other) {
    return new ShardConfig(requests, other, indexing, savepoints, disk, blocks, states, shipping);
  }

  public ShardConfig withIndexing(Indexing other) {
    return new ShardConfig(requests, commits, other, savepoints, disk, blocks, states, shipping);
  }

  private ShardConfig withSavepoints(Savepoints other) {
    return new ShardConfig(requests, commits, indexing, other, disk, blocks, states, shipping);
  }

  private ShardConfig withDisk(DiskLimits other) {
    return new ShardConfig(
        requests, commits, indexing, savepoints, other, blocks, states, shipping);
  }

  /// The same with other blocks.
  public ShardConfig withBlocks(BlockLimits other) {
    return new ShardConfig(requests, commits, indexing, savepoints, disk, other, states, shipping);
  }

  /// The same with other limits of states.
  public ShardConfig withStates(ForestLimits other) {
    return new ShardConfig(requests, commits, indexing, savepoints, disk, blocks, other, shipping);
  }

  /// The same with other versions of states.
  public ShardConfig withVersions(VersionLimits other) {
    return withStates(states.with(other));
  }

  /// The same with another rate of shipping.
  public ShardConfig withShipping(Shipping other) {
    return new ShardConfig(requests, commits, indexing, savepoints, disk, blocks, states, other);
  }

  /// The same with another floor for free disk, and twice of it for older versions of states; tests
  /// run on small disks.
  public ShardConfig withFreeBytesMin(long bytes) {
    return withDisk(new DiskLimits(bytes, disk.stallMillis()))
        .withVersions(states.saved().withFreeBytesMin(2 * bytes));
  }

  /// The same with another patience with the disk.
  public ShardConfig withDiskStallMillis(long millis) {
    return withDisk(new DiskLimits(disk.freeBytesMin(), millis));
  }

  /// The same with other numbers of strands in a savepoint, and awake.
  public ShardConfig withStrands(int savepoint, int awakeMax) {
    return withIndexing(new Indexing(indexing.aheadFrames(), indexing.aheadBytes(), awakeMax))
        .withSavepoints(
            new Savepoints(
                savepoints.journals(), savepoints.bytes(), savepoint, savepoints.millis()));
  }

  /// The same with other savepoint intervals.
  public ShardConfig withSavepointEvery(long journals, long millis) {
    return withSavepoints(
        new Savepoints(journals, savepoints.bytes(), savepoints.strands(), millis));
  }
}

package io.tallystick.server.shard;

import io.tallystick.journal.Limits;
import io.tallystick.node.NodeOptions;
import io.tallystick.server.sequencer.ReplayTable;

/// Limits of one shard.
///
/// @param frameBytesMax a frame takes no further submission once it holds this many bytes
/// @param lingerMicros how long the commit thread waits for company when it has little to write
/// @param lingerBytes with at least this much waiting it does not linger
/// @param guardIdleMillis idle time after which a closing frame names unguarded seals
/// @param indexAheadFrames frames committed ahead of indexing; few, so that blocks are large when
///   indexing is what takes long (decision 23)
/// @param indexAheadBytes bytes committed ahead of indexing
/// @param admittedBytesMax bytes of submissions admitted and not yet answered; beyond:
///   `RATE_LIMITED`
/// @param savepointJournals journals indexed since the last savepoint; four times as many, and four
///   times the bytes, while many clues wait for it (decision 23)
/// @param savepointBytes stream bytes indexed since the last savepoint
/// @param savepointStrands strands indexed since the last savepoint: each takes rows of its own in
///   the savepoint, and is opened when it is replayed
/// @param savepointMillis time since the last savepoint when anything changed
/// @param awakeStrandsMax strands whose arrays stay open, with the newest rows of each in memory:
///   some 6 KB a strand
/// @param freeBytesMin appends stop below this much free disk
/// @param replayBytesMax memory of the replay table, see {@link ReplayTable#bytesFor}
/// @param answerThreads threads that make receipts
/// @param diskStallMillis a shard whose disk has been at one operation for so long is not ready
public record ShardConfig(
    int frameBytesMax,
    long lingerMicros,
    long lingerBytes,
    long guardIdleMillis,
    int indexAheadFrames,
    long indexAheadBytes,
    long admittedBytesMax,
    long savepointJournals,
    long savepointBytes,
    int savepointStrands,
    long savepointMillis,
    int awakeStrandsMax,
    long freeBytesMin,
    long replayBytesMax,
    int answerThreads,
    long diskStallMillis) {
  public ShardConfig {
    if (frameBytesMax < 1
        || indexAheadFrames < 1
        || indexAheadBytes < 1
        || savepointStrands < 1
        || answerThreads < 1
        || diskStallMillis < 1) {
      throw new IllegalArgumentException("limits of a shard are at least 1");
    }
  }

  /// The figures of `docs/architecture.md`, "Memory bounds" and "What is durable when".
  public static ShardConfig defaults() {
    return new ShardConfig(
        4 << 20,
        300,
        128 << 10,
        10,
        3,
        64L << 20,
        64L << 20,
        100_000,
        64L << 20,
        2_048,
        10_000,
        4_096,
        512L << 20,
        ReplayTable.bytesFor(Limits.OPEN_SIGNATURES_MAX),
        2,
        NodeOptions.DISK_STALL_DEFAULT.toMillis());
  }

  /// The same with another floor for free disk; tests run on small disks.
  public ShardConfig withFreeBytesMin(long bytes) {
    return new ShardConfig(
        frameBytesMax,
        lingerMicros,
        lingerBytes,
        guardIdleMillis,
        indexAheadFrames,
        indexAheadBytes,
        admittedBytesMax,
        savepointJournals,
        savepointBytes,
        savepointStrands,
        savepointMillis,
        awakeStrandsMax,
        bytes,
        replayBytesMax,
        answerThreads,
        diskStallMillis);
  }

  /// The same with other numbers of strands in a savepoint, and awake.
  public ShardConfig withStrands(int savepoint, int awakeMax) {
    return new ShardConfig(
        frameBytesMax,
        lingerMicros,
        lingerBytes,
        guardIdleMillis,
        indexAheadFrames,
        indexAheadBytes,
        admittedBytesMax,
        savepointJournals,
        savepointBytes,
        savepoint,
        savepointMillis,
        awakeMax,
        freeBytesMin,
        replayBytesMax,
        answerThreads,
        diskStallMillis);
  }

  /// The same with another patience with the disk.
  public ShardConfig withDiskStallMillis(long millis) {
    return new ShardConfig(
        frameBytesMax,
        lingerMicros,
        lingerBytes,
        guardIdleMillis,
        indexAheadFrames,
        indexAheadBytes,
        admittedBytesMax,
        savepointJournals,
        savepointBytes,
        savepointStrands,
        savepointMillis,
        awakeStrandsMax,
        freeBytesMin,
        replayBytesMax,
        answerThreads,
        millis);
  }

  /// The same with other savepoint intervals.
  public ShardConfig withSavepointEvery(long journals, long millis) {
    return new ShardConfig(
        frameBytesMax,
        lingerMicros,
        lingerBytes,
        guardIdleMillis,
        indexAheadFrames,
        indexAheadBytes,
        admittedBytesMax,
        journals,
        savepointBytes,
        savepointStrands,
        millis,
        awakeStrandsMax,
        freeBytesMin,
        replayBytesMax,
        answerThreads,
        diskStallMillis);
  }
}

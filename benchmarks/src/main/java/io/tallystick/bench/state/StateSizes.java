package io.tallystick.bench.state;

import io.tallystick.journal.StateParams;

/// How much is written and read. All sizes follow from the number of keys, as in the cases that the
/// design names for a million.
///
/// @param keys of most cases; some have a multiple of them
/// @param valueBytes of `put`, `get`, `batch`, `range` and `space`; other cases have values of
///   {@link #SMALL_VALUE_BYTES}
/// @param batch puts of a block
/// @param gets by all threads together, of each measurement
/// @param memoryBytes of the cache of nodes, and of a rival's block cache
/// @param seed of keys, values and places
public record StateSizes(
    int keys, int valueBytes, int batch, int gets, long memoryBytes, int repetitions, long seed) {
  public static final int KEYS_MIN = 100;
  public static final int KEYS_MAX = 10_000_000;

  public static final int VALUE_BYTES_MIN = StateLoad.VALUE_BYTES_MIN;
  public static final int VALUE_BYTES_MAX = StateLoad.VALUE_BYTES_MAX;

  static final int SMALL_VALUE_BYTES = 100;
  private static final int LARGE = 20;
  private static final int SMALL = 2;
  private static final int RANGE = 10;
  private static final int UPDATES = 10;
  private static final int CAPACITY_OF_SPACE = 5;
  private static final int TRICKLE_BLOCKS_MAX = 2_000;
  private static final int TRICKLE_BLOCKS_OF_KEYS = 10;

  /// Of a state that the limits of a service are meant for.
  private static final long SHIPPED_KEYS = 1_000_000;

  /// That all figures are in range is for the command to check.
  public StateSizes {
    if (keys < KEYS_MIN || keys > KEYS_MAX || batch < 1 || batch > keys) {
      throw new IllegalArgumentException(keys + " keys in batches of " + batch);
    }
  }

  /// What a service without settings gives a cache of nodes.
  public static long shippedMemoryBytes() {
    return ForestSettings.shippedCacheBytes();
  }

  /// The bytes of a frame, and so of a block, of a service without settings.
  public static int shippedBlockBytes() {
    return ForestSettings.SHARD.commits().frameBytesMax();
  }

  /// Of `space`: those whose index is measured alone.
  int spaceKeys() {
    return SMALL * keys;
  }

  int largeKeys() {
    return LARGE * keys;
  }

  /// Of the larger state of `range`.
  int rangeKeys() {
    return RANGE * keys;
  }

  int updates() {
    return UPDATES * keys;
  }

  /// Blocks of one put: what comes in 10 s, after which a shard saves.
  int trickleBlocks() {
    return Math.min(TRICKLE_BLOCKS_MAX, keys / TRICKLE_BLOCKS_OF_KEYS);
  }

  /// What a service without settings has, but for the cache.
  ForestSettings shipped() {
    return ForestSettings.shipped(memoryBytes);
  }

  /// The same for `of` keys, where partitions and cache are to them what a service's are to a
  /// million keys.
  ///
  /// @param of so many keys
  ForestSettings scaled(int of) {
    double share = of / (double) SHIPPED_KEYS;
    return ForestSettings.shipped(Math.max(1, (long) (memoryBytes * share)))
        .with(params(StateParams.DEFAULT.entriesMax() * keys / SHIPPED_KEYS));
  }

  /// What a service without settings has, but for partitions of a tenth of `space`'s keys.
  ForestSettings folding() {
    return shipped().with(params(keys / CAPACITY_OF_SPACE));
  }

  private static StateParams params(long capacity) {
    return StateParams.of(
        Math.max(StateParams.DEFAULT.leafEntriesMax(), capacity),
        StateParams.DEFAULT.leafEntriesMax(),
        StateParams.DEFAULT.innerEntriesMax());
  }
}

package io.tallystick.bench.state;

import io.tallystick.journal.StateParams;

/// How much is written and read. All sizes follow from the number of keys, as in the cases that the
/// design names for a million.
///
/// @param keys of `put`, `get`, `history` and `trickle`; other cases have a multiple of them
/// @param valueBytes of `put` and `get`; other cases have values of {@link #SMALL_VALUE_BYTES}
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
  private static final int UPDATES = 10;
  private static final int CAPACITY_OF_SPACE = 5;
  private static final int TRICKLE_BLOCKS_MAX = 2_000;
  private static final int TRICKLE_BLOCKS_OF_KEYS = 10;
  private static final int LEAF_MAX = 40;
  private static final int INNER_MAX = 32;

  /// That all figures are in range is for the command to check.
  public StateSizes {
    if (keys < KEYS_MIN || keys > KEYS_MAX || batch < 1 || batch > keys) {
      throw new IllegalArgumentException(keys + " keys in batches of " + batch);
    }
  }

  int smallKeys() {
    return SMALL * keys;
  }

  int largeKeys() {
    return LARGE * keys;
  }

  int updates() {
    return UPDATES * keys;
  }

  /// Blocks of one put: what comes in 10 s, after which a shard saves.
  int trickleBlocks() {
    return Math.min(TRICKLE_BLOCKS_MAX, keys / TRICKLE_BLOCKS_OF_KEYS);
  }

  /// Partitions that hold what `smallKeys` are.
  StateParams partitions() {
    return params(smallKeys());
  }

  StateParams smallPartitions() {
    return params(keys / CAPACITY_OF_SPACE);
  }

  private static StateParams params(int capacity) {
    return StateParams.of(Math.max(LEAF_MAX, capacity), LEAF_MAX, INNER_MAX);
  }
}

package io.tallystick.node;

import io.tallystick.hashing.GpuMode;
import java.time.Duration;

/// How a node runs.
///
/// @param gpu whether a GPU hashes in bulk
/// @param diskStall after which a disk that has not come back from one operation makes a shard not
///   ready; at least 1 ms
/// @param blocks how large a block becomes and how long it waits
/// @param states what is kept of ledgers' states
public record NodeOptions(GpuMode gpu, Duration diskStall, BlockLimits blocks, StateLimits states) {
  public static final Duration DISK_STALL_DEFAULT = Duration.ofSeconds(5);

  /// The CPU hashes.
  public static final NodeOptions DEFAULT =
      new NodeOptions(GpuMode.OFF, DISK_STALL_DEFAULT, BlockLimits.DEFAULT, StateLimits.DEFAULT);
}

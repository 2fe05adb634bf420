package io.tallystick.node;

import io.tallystick.hashing.GpuMode;
import java.time.Duration;

/// How a node runs.
///
/// @param gpu whether a GPU hashes in bulk
/// @param diskStall after which a disk that has not come back from one operation makes a shard not
///   ready; at least 1 ms
public record NodeOptions(GpuMode gpu, Duration diskStall) {
  public static final Duration DISK_STALL_DEFAULT = Duration.ofSeconds(5);

  /// The CPU hashes.
  public static final NodeOptions DEFAULT = new NodeOptions(GpuMode.OFF, DISK_STALL_DEFAULT);
}

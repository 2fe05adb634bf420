package io.tallystick.server.host;

import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.Disk;
import java.time.InstantSource;
import java.util.function.UnaryOperator;

/// What a node stands on that a test may replace: a disk that fails on demand, a clock that steps,
/// other limits.
///
/// @param disk wraps the local disk of the data directory
public record NodeSeams(UnaryOperator<Disk> disk, InstantSource clock, ShardConfig config) {
  /// The machine's own disk and clock, and the default limits.
  public static NodeSeams production() {
    return new NodeSeams(UnaryOperator.identity(), InstantSource.system(), ShardConfig.defaults());
  }

  /// The same with other limits.
  public NodeSeams withConfig(ShardConfig limits) {
    return new NodeSeams(disk, clock, limits);
  }
}

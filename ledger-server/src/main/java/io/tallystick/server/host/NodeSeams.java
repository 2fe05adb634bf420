package io.tallystick.server.host;

import io.tallystick.server.shard.ShardConfig;
import java.time.InstantSource;

/// What a node is opened with.
///
/// @param parts opens what the node stands on; a test hands in a disk that fails on demand, or
///   parts in memory
/// @param clock of the ledgers' time
/// @param config limits of the shard
public record NodeSeams(NodeParts.Factory parts, InstantSource clock, ShardConfig config) {
  /// The parts of a local data directory, the machine's clock and the default limits.
  public static NodeSeams production() {
    return new NodeSeams(NodeParts::local, InstantSource.system(), ShardConfig.defaults());
  }

  /// The same with other limits.
  public NodeSeams withConfig(ShardConfig limits) {
    return new NodeSeams(parts, clock, limits);
  }
}

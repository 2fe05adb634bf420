package io.tallystick.server.host;

import io.tallystick.node.NodeHealth;
import io.tallystick.server.shard.Shard;
import io.tallystick.storage.disk.DiskOperation;

/// The state of a shard as a probe is told it.
final class ShardHealth {
  private ShardHealth() {}

  static NodeHealth of(Shard shard) {
    Throwable stopped = shard.stopped();
    DiskOperation still = shard.stalls().now();
    String detail =
        stopped == null ? shard.stalls().detail() : String.valueOf(stopped.getMessage());
    return new NodeHealth(
        shard.isReadable() && (still == null || !still.kind().reads()),
        stopped == null && still == null,
        detail);
  }
}

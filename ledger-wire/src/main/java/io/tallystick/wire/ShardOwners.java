package io.tallystick.wire;

import io.tallystick.node.FollowerDoor;
import io.tallystick.node.LedgerNode;
import java.util.Optional;

/// The shards of a server, as it owns and follows them now. Thread-safe; never blocks.
@FunctionalInterface
public interface ShardOwners {
  /// Empty if this server does not own the shard.
  Optional<Owned> shard(int number);

  /// Empty if this server does not follow the shard.
  default Optional<FollowerDoor> followed(int number) {
    return Optional.empty();
  }

  /// A shard that is owned.
  ///
  /// @param epoch in which it is, above 0
  record Owned(LedgerNode node, long epoch) {}
}

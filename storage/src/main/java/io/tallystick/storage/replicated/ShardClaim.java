package io.tallystick.storage.replicated;

import io.tallystick.storage.stream.StreamId;

/// A claim on a shard that was made: it holds as long as `owner` has this version.
///
/// @param version of the `owner` path that this claim wrote
public record ShardClaim(StreamId shard, ShardOwner owner, int version) {
  public long epoch() {
    return owner.epoch();
  }
}

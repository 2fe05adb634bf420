package io.tallystick.master.identity;

import io.tallystick.master.presence.KeyPairKids;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A server that wants to claim a shard, as far as others judge it.
///
/// @param pairs of service keys that it holds
/// @param formats the newest version that its software knows of each, by name
/// @param stateFormat of the states that its software keeps
/// @param remembered what it saw of the shard before
/// @param shards that it writes now
/// @param share how many its memory lets it write
public record Claimant(
    Set<KeyPairKids> pairs,
    Map<String, Integer> formats,
    int stateFormat,
    ClockReadings clocks,
    Optional<Remembered> remembered,
    int shards,
    int share) {
  public Claimant {
    pairs = Set.copyOf(pairs);
    formats = Map.copyOf(formats);
  }

  /// The highest epoch and confirmed frame that a server saw of a shard, from its own disk.
  public record Remembered(long epoch, long frame) {}
}

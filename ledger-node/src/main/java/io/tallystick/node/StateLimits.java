package io.tallystick.node;

import java.util.OptionalLong;

/// What a service keeps of states. Source: ViDB 5.2.
///
/// @param versions that savepoints keep of each state beside the newest, 1 to {@link #VERSIONS_MAX}
/// @param versionsBytes the most bytes of the disk that these alone take of each state, 1 or more;
///   empty: as many as the newest takes
/// @param replayOperations between two versions: what a reader of a height in between waits for,
///   {@link #REPLAY_MIN} to {@link #REPLAY_MAX}
/// @param cacheBytes of memory for nodes of states, 1 or more; empty: a twelfth of the heap
public record StateLimits(
    int versions, OptionalLong versionsBytes, int replayOperations, OptionalLong cacheBytes) {
  public static final int VERSIONS_MAX = 10_000;
  public static final int REPLAY_MIN = 1_000;
  public static final int REPLAY_MAX = 100_000_000;

  public static final StateLimits DEFAULT =
      new StateLimits(40, OptionalLong.empty(), 200_000, OptionalLong.empty());

  public StateLimits {
    if (versions < 1 || versions > VERSIONS_MAX) {
      throw new IllegalArgumentException(
          versions + " versions of a state, want 1 to " + VERSIONS_MAX);
    }
    if (replayOperations < REPLAY_MIN || replayOperations > REPLAY_MAX) {
      throw new IllegalArgumentException(
          replayOperations
              + " operations between versions, want "
              + REPLAY_MIN
              + " to "
              + REPLAY_MAX);
    }
    if (versionsBytes.orElse(1) < 1) {
      throw new IllegalArgumentException("older versions of 0 bytes, want 1 or more");
    }
    if (cacheBytes.orElse(1) < 1) {
      throw new IllegalArgumentException("a cache of 0 bytes, want 1 or more");
    }
  }
}

package io.tallystick.cluster.server;

import io.tallystick.server.host.HostedShard;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// The shards that have been unable to take appends here for so long that another server had better
/// write them: for 10 s, or, where those who keep the stream are out of reach, for 60 s if a server
/// is there that may reach them. Thread-safe.
final class UnfitShards {
  private static final Duration HERE_MAX = Duration.ofSeconds(10);
  private static final Duration STREAM_MAX = Duration.ofSeconds(60);

  private final LongSupplier nanoTime;
  private final BooleanSupplier othersCanWrite;

  /// By shard: since when it is unfit in whatever way, and since when for what is wrong here.
  private final Map<Integer, Long> since = new HashMap<>();

  private final Map<Integer, Long> hereSince = new HashMap<>();

  /// @param nanoTime as {@link System#nanoTime}
  /// @param othersCanWrite whether another server is there, and machines enough for a stream
  UnfitShards(LongSupplier nanoTime, BooleanSupplier othersCanWrite) {
    this.nanoTime = nanoTime;
    this.othersCanWrite = othersCanWrite;
  }

  /// To be asked of each shard, again and again.
  ///
  /// @param now how it is
  /// @return whether to let it go
  synchronized boolean isToGo(int shard, Optional<HostedShard.Unfit> now) {
    if (now.isEmpty()) {
      forget(shard);
      return false;
    }
    long nanos = nanoTime.getAsLong();
    long all = nanos - since.computeIfAbsent(shard, _ -> nanos);
    if (now.get().mayBeOfAll()) {
      hereSince.remove(shard);
      return all >= STREAM_MAX.toNanos() && othersCanWrite.getAsBoolean();
    }
    long here = nanos - hereSince.computeIfAbsent(shard, _ -> nanos);
    return here >= HERE_MAX.toNanos() || all >= STREAM_MAX.toNanos();
  }

  /// To be called when a shard is let go.
  synchronized void forget(int shard) {
    since.remove(shard);
    hereSince.remove(shard);
  }
}

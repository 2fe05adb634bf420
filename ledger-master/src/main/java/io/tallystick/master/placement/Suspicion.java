package io.tallystick.master.placement;

import io.tallystick.master.placement.ClusterSeen.ShardSeen;
import io.tallystick.master.presence.PresentServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/// Which servers a master takes for lost, and which shards it may give another target now. A server
/// is lost when its session has ended or when the master's own stream to it was reset. A suspicion
/// may be wrong and decides nothing. The targets of one shard are far apart in time: a taker-over
/// needs time before it is suspected in turn. Streams may be told of on any thread.
public final class Suspicion {
  private static final int MS_NANOS = 1_000_000;

  private final Duration apart;
  private final LongSupplier nanoTime;
  private final LongSupplier timeMs;

  /// Incarnations of servers to which the stream was reset.
  private final Map<String, Long> reset = new ConcurrentHashMap<>();

  /// By shard.
  private final Map<Integer, Change> changes = new HashMap<>();

  /// A version of a target, and since when it was seen to be new.
  ///
  /// @param mayBeOld whether it was there when this master first looked
  private record Change(int version, long nanos, boolean mayBeOld) {}

  /// @param apart how long after a target was written it stays, whatever happens
  /// @param nanoTime as {@link System#nanoTime}
  /// @param timeMs milliseconds since 1970
  public Suspicion(Duration apart, LongSupplier nanoTime, LongSupplier timeMs) {
    this.apart = apart;
    this.nanoTime = nanoTime;
    this.timeMs = timeMs;
  }

  /// By the clock that it judges by.
  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /// The stream to a server broke.
  public void streamReset(String server, long incarnation) {
    reset.put(server, incarnation);
  }

  /// There is a stream to a server again.
  public void streamUp(String server) {
    reset.remove(server);
  }

  /// What broke is of the past: a master that leads again begins with new streams.
  public void forgetStreams() {
    reset.clear();
  }

  /// Whether a server that is shown is not lost either.
  public boolean isAlive(PresentServer server) {
    Long incarnation = reset.get(server.id());
    return incarnation == null || incarnation != server.incarnation();
  }

  /// Takes note of what stands there.
  void look(int shard, ShardSeen seen) {
    Change last = changes.get(shard);
    if (last == null) {
      changes.put(shard, new Change(seen.targetVersion(), nanoTime.getAsLong(), true));
    } else if (last.version != seen.targetVersion()) {
      changes.put(shard, new Change(seen.targetVersion(), nanoTime.getAsLong(), false));
    }
  }

  /// How long this master has seen the target that stands there.
  private Duration standing(int shard) {
    Change last = changes.get(shard);
    return last == null ? Duration.ZERO : Duration.ofNanos(nanoTime.getAsLong() - last.nanos);
  }

  /// Whether a shard may get another target. The clock of another master is believed only about a
  /// target that was there before this master looked: that one may have been written late.
  boolean mayChange(int shard, ShardSeen seen) {
    if (seen.target().isEmpty()) {
      return true;
    }
    Change last = changes.get(shard);
    if (last == null) {
      return false;
    }
    if (!last.mayBeOld) {
      return standing(shard).compareTo(apart) >= 0;
    }
    long written = timeMs.getAsLong() - seen.target().get().atMs();
    return Math.abs(written) >= apart.toNanos() / MS_NANOS || standing(shard).compareTo(apart) >= 0;
  }
}

package io.tallystick.wire;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Threads of each shard's own, so that one whose answers take long holds up no other. Idle threads
/// end. Thread-safe.
final class ShardPools implements AutoCloseable {
  private static final long IDLE_SECONDS = 10;

  private final String name;
  private final int threads;
  private final int waitingMax;
  private final Map<Integer, ExecutorService> pools = new ConcurrentHashMap<>();

  /// @param name of the threads
  /// @param threads a shard has at most
  /// @param waitingMax tasks of a shard that wait for a thread at most
  ShardPools(String name, int threads, int waitingMax) {
    this.name = name;
    this.threads = threads;
    this.waitingMax = waitingMax;
  }

  /// Runs it on a thread of the shard.
  ///
  /// @param shard that this server owns: of others nothing may be kept
  /// @throws RejectedExecutionException if too many wait, or at the end
  void execute(int shard, Runnable task) {
    pools.computeIfAbsent(shard, this::pool).execute(task);
  }

  private ExecutorService pool(int shard) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(waitingMax),
            Thread.ofPlatform().name(name + shard + "-", 0).daemon().factory());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  @Override
  public void close() {
    pools.values().forEach(ExecutorService::shutdownNow);
  }
}

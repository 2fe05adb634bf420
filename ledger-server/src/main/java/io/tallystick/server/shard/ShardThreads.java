package io.tallystick.server.shard;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// A shard with the threads that take its turns: one commits, one indexes, one erases, a few
/// answer, a few read again what preconditions depend on.
public final class ShardThreads implements AutoCloseable {
  private static final long STOP_SECONDS = 10;
  private static final int READING_THREADS = 2;
  private static final long INDEX_IDLE_MILLIS = 100;
  private static final long WAITING_MILLIS = 200;
  private static final long WATCH_MILLIS = 100;
  private static final long ERASE_IDLE_MILLIS = 60_000;
  private static final long ERASE_AGAIN_MILLIS = 1_000;

  private final Shard shard;
  private final String name;
  private final long commitIdleMillis;
  private final ExecutorService answerThreads;
  private final ExecutorService readingThreads;
  private final Thread commitThread;
  private final Thread eraseThread;
  private final Thread watchThread;
  private volatile boolean closing;

  private ShardThreads(
      Shard shard,
      String name,
      long commitIdleMillis,
      ExecutorService answerThreads,
      ExecutorService readingThreads) {
    this.shard = shard;
    this.name = name;
    this.commitIdleMillis = commitIdleMillis;
    this.answerThreads = answerThreads;
    this.readingThreads = readingThreads;
    this.commitThread = Thread.ofPlatform().name(name + "-commit").unstarted(this::run);
    this.eraseThread = Thread.ofPlatform().name(name + "-erase").unstarted(this::erase);
    this.watchThread =
        Thread.ofPlatform().name(name + "-disk-watch").daemon().unstarted(this::watch);
  }

  /// Recovers a shard and starts its threads.
  ///
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static ShardThreads start(
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer,
      MeterRegistry registry)
      throws IOException, CorruptStreamException {
    String name = "shard-" + storage.stream().shard();
    // Both start a thread when there is something to do, not before.
    ExecutorService answerThreads =
        Executors.newFixedThreadPool(
            config.requests().answerThreads(),
            Thread.ofPlatform().name(name + "-answer-", 0).factory());
    ScheduledExecutorService readingThreads =
        Executors.newScheduledThreadPool(
            READING_THREADS, Thread.ofPlatform().name(name + "-reading-", 0).factory());
    Later later =
        (millis, task) -> {
          var _ = readingThreads.schedule(task, millis, TimeUnit.MILLISECONDS);
        };
    Shard shard =
        Shard.open(
            storage, config, ArrayLimits.DEFAULT, hasher, signer, registry, answerThreads, later);
    ShardThreads threads =
        new ShardThreads(
            shard, name, config.commits().guardIdleMillis(), answerThreads, readingThreads);
    threads.commitThread.start();
    threads.eraseThread.start();
    threads.watchThread.start();
    return threads;
  }

  public Shard shard() {
    return shard;
  }

  private void run() {
    while (shard.phase() != Shard.Phase.ENDED) {
      if (shard.phase() == Shard.Phase.SERVING) {
        serve();
      } else {
        shard.waitingTurn(WAITING_MILLIS);
      }
    }
  }

  /// Commits on this thread and indexes on another until the shard is closed or something fails.
  private void serve() {
    Thread indexThread = Thread.ofPlatform().name(name + "-index").start(this::index);
    boolean more = true;
    while (more) {
      more = shard.commitTurn(commitIdleMillis);
    }
    joinUninterruptibly(indexThread);
    shard.endServing();
  }

  private void index() {
    boolean more = true;
    while (more) {
      more = shard.indexTurn(INDEX_IDLE_MILLIS);
    }
  }

  private void erase() {
    try {
      while (!closing) {
        switch (shard.erasureTurn()) {
          case MORE -> {}
          case NOTED, NOTHING -> shard.removals().await(ERASE_IDLE_MILLIS);
          case FAILED -> shard.removals().awaitAfterFailure(ERASE_AGAIN_MILLIS);
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void watch() {
    try {
      while (!closing) {
        shard.stalls().look();
        Thread.sleep(WATCH_MILLIS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Commits and indexes what was admitted, takes a savepoint, and lets the storage go.
  @Override
  public void close() throws IOException {
    shard.closeIntake();
    closing = true;
    shard.removals().removalSaved(); // so that it looks
    try {
      eraseThread.join();
      commitThread.join();
      // What waits to be read again is read, and refused.
      stop(readingThreads);
      stop(answerThreads);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    shard.close();
  }

  private static void stop(ExecutorService threads) throws InterruptedException {
    threads.shutdown();
    if (!threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
      threads.shutdownNow();
    }
  }
}

package io.tallystick.bench.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Reads at random places by several threads at once, the same places at each run.
final class ReadThreads {
  private static final long SEED = 11;

  private ReadThreads() {}

  /// What one thread does.
  @FunctionalInterface
  interface Loop {
    void run(SplittableRandom random, int count) throws Exception;
  }

  /// @param count for each thread, at least 1
  /// @return per second, all together
  static double run(int threads, int count, Loop loop) throws Exception {
    List<Callable<Boolean>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      SplittableRandom random = new SplittableRandom(SEED + i);
      tasks.add(() -> {
        loop.run(random, count);
        return true;
      });
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      long started = System.nanoTime();
      for (Future<Boolean> done : pool.invokeAll(tasks)) {
        done.get();
      }
      return (double) threads * count * 1e9 / (System.nanoTime() - started);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : new IllegalStateException(e);
    } finally {
      pool.shutdownNow();
    }
  }

  /// Gets of random keys of the first `keys`, each value compared with what was put last.
  ///
  /// @param versions of each key; a key that was put once has 0
  static Loop gets(ContenderReads reads, StateLoad load, int keys, Versions versions) {
    return (random, count) -> {
      for (int i = 0; i < count; i++) {
        int index = random.nextInt(keys);
        var value = reads.get(load.key(index));
        if (value.isEmpty() || !load.matches(index, versions.of(index), value.get())) {
          throw new AssertionError(
              String.format(
                  Locale.ROOT,
                  "key %d of version %d reads as %s",
                  index,
                  versions.of(index),
                  value));
        }
      }
    };
  }

  /// The version of each key.
  @FunctionalInterface
  interface Versions {
    int of(int index);
  }
}

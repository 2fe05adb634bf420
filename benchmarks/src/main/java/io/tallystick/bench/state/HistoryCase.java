package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Latencies;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.storage.forest.VersionLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/// How much longer does a get 40 blocks back take than one of the newest block, and how long does
/// it take to give up 100 versions, beside one batch of puts?
final class HistoryCase {
  private static final int SAVEPOINTS_BACK = 40;
  private static final int PRUNED = 100;
  private static final int BLOCKS = PRUNED + SAVEPOINTS_BACK + 10;
  private static final double BACK_WANTED = 1.3;
  private static final double PRUNE_WANTED = 1;
  private static final int THREADS = 2;

  /// The first so many warm up.
  private static final int SLICES = 8;

  private static final double NANOS_PER_MS = 1e6;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final Figures figures = new Figures();

  HistoryCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    this.load = new StateLoad(sizes.seed(), StateSizes.SMALL_VALUE_BYTES);
  }

  List<BenchCase> measure() throws Exception {
    for (int i = 0; i < sizes.repetitions(); i++) {
      run();
    }
    return List.of(
        figures.spread("history-newest", "gets/s"),
        figures.spread("history-back", "gets/s"),
        figures.ratio("history-ratio", "history-newest", "history-back", BACK_WANTED),
        figures.spread("history-put", "ms"),
        figures.spread("history-prune", "ms"),
        figures.ratio("history-prune-ratio", "history-prune", "history-put", PRUNE_WANTED),
        figures.spread("history-prune-read", "B"));
  }

  private void run() throws Exception {
    Path folder = home.fresh();
    ForestContender.Settings settings =
        new ForestContender.Settings(
            sizes.partitions(),
            sizes.batch(),
            new VersionLimits(BLOCKS, Long.MAX_VALUE, sizes.batch()),
            sizes.memoryBytes());
    try (ForestContender ours = new ForestContender(folder, settings)) {
      int[] versions = new int[sizes.keys()];
      new Writing(ours, load, sizes.batch()).insert(0, sizes.keys());
      SplittableRandom random = new SplittableRandom(sizes.seed());
      Writing updates = new Writing(ours, load, sizes.batch());
      updates.update((BLOCKS - SAVEPOINTS_BACK) * sizes.batch(), random, versions);
      int[] before = versions.clone();
      long[] nanos = new long[SAVEPOINTS_BACK];
      for (int i = 0; i < SAVEPOINTS_BACK; i++) {
        nanos[i] = updates.put(load.updates(random, sizes.batch(), versions, versions.length));
      }
      gets(ours, before, versions);
      prune(ours, Latencies.of(LongStream.of(nanos)).p50());
      if (ours.savedVersions() != BLOCKS + 1 - PRUNED) {
        throw new AssertionError(ours.savedVersions() + " versions kept");
      }
      readAll(ours.asOf(SAVEPOINTS_BACK), before);
      readAll(ours, versions);
    }
    Home.delete(folder);
  }

  /// The newest and the older version by turns, in short slices: the machine is another one soon.
  private void gets(ForestContender ours, int[] before, int[] versions) throws Exception {
    int count = Math.max(1, sizes.gets() / THREADS / SLICES);
    ReadThreads.Loop newest = ReadThreads.gets(ours, load, sizes.keys(), i -> versions[i]);
    ReadThreads.Loop back =
        ReadThreads.gets(ours.asOf(SAVEPOINTS_BACK), load, sizes.keys(), i -> before[i]);
    double[] newestRates = new double[SLICES];
    double[] backRates = new double[SLICES];
    for (int i = -SLICES; i < SLICES; i++) {
      double newestRate = ReadThreads.run(THREADS, count, newest);
      double backRate = ReadThreads.run(THREADS, count, back);
      if (i >= 0) {
        newestRates[i] = newestRate;
        backRates[i] = backRate;
      }
    }
    figures.add("history-newest", BenchCase.median(newestRates));
    figures.add("history-back", BenchCase.median(backRates));
  }

  private void prune(ForestContender ours, double putMillis) throws Exception {
    long own = -ReadBytes.now() + ReadBytes.now();
    long read = ReadBytes.now();
    long started = System.nanoTime();
    ours.prune(PRUNED);
    double millis = (System.nanoTime() - started) / NANOS_PER_MS;
    read = ReadBytes.now() - read - own;
    figures.add("history-put", putMillis);
    figures.add("history-prune", millis);
    figures.add("history-prune-read", (double) Math.max(0, read));
    say.say(
        String.format(
            Locale.ROOT,
            "  %d versions pruned in %.3f ms, reading %,d B; a block takes %.2f ms",
            PRUNED,
            millis,
            Math.max(0, read),
            putMillis));
  }

  private void readAll(ContenderReads reads, int[] versions) throws Exception {
    ReadThreads.gets(reads, load, versions.length, index -> versions[index])
        .run(new SplittableRandom(sizes.seed()), Math.min(versions.length, sizes.gets()));
  }
}

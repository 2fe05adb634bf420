package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Latencies;
import io.tallystick.bench.figure.Narrator;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/// How many updates per second are saved while every savepoint drops a version, beside those before
/// there are 40 older ones; how much does the index grow meanwhile, as the versions that stay lie
/// farther and farther apart; and how long does it take to give 40 versions up at once, beside one
/// block? Source: ViDB figure 11.
final class PruneCase {
  private static final int VERSIONS = 40;
  private static final double RATIO_WANTED = 0.9;
  private static final double AT_ONCE_WANTED = 1;
  private static final double NANOS_PER_MS = 1e6;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final Figures figures = new Figures();

  PruneCase(Home home, StateSizes sizes, Narrator say) {
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
        figures.spread("prune-without", "updates/s"),
        figures.spread("prune-with", "updates/s"),
        figures.ratio("prune-ratio", "prune-with", "prune-without", RATIO_WANTED),
        figures.ratio("prune-index", "prune-index-with", "prune-index-without"),
        figures.spread("prune-block", "ms"),
        figures.spread("prune-at-once", "ms"),
        figures.ratio("prune-at-once-ratio", "prune-at-once", "prune-block", AT_ONCE_WANTED),
        figures.spread("prune-at-once-read", "B"));
  }

  private void run() throws Exception {
    Path folder = home.fresh();
    try (ForestContender ours =
        new ForestContender(folder, sizes.shipped().withVersions(VERSIONS))) {
      int[] versions = new int[sizes.keys()];
      new Writing(ours, load, sizes.batch()).insert(0, sizes.keys());
      ours.keepNewestAlone();
      ours.saveEvery(sizes.batch());
      SplittableRandom random = new SplittableRandom(sizes.seed());
      updates("without", ours, random, versions);
      double millis = updates("with", ours, random, versions);
      figures.under(ours, "prune-without", "prune-with", "prune-index-with");
      if (ours.savedVersions() != VERSIONS + 1) {
        throw new AssertionError(ours.savedVersions() + " versions kept");
      }
      figures.under(ours, "prune-block", "prune-at-once", "prune-at-once-read");
      atOnce(ours, millis);
      ReadThreads.gets(ours, load, versions.length, index -> versions[index])
          .run(new SplittableRandom(sizes.seed()), Math.min(versions.length, sizes.gets()));
    }
    Home.delete(folder);
  }

  /// As many blocks as there are versions, each with a savepoint.
  ///
  /// @return how long one takes, in milliseconds
  private double updates(String name, ForestContender ours, SplittableRandom random, int[] versions)
      throws Exception {
    Writing updates = new Writing(ours, load, sizes.batch());
    long[] nanos = new long[VERSIONS];
    int puts = 0;
    for (int i = 0; i < VERSIONS; i++) {
      List<Put> block = load.updates(random, sizes.batch(), versions, versions.length);
      puts = block.size();
      nanos[i] = updates.put(block);
    }
    double millis = Latencies.of(LongStream.of(nanos)).p50();
    double rate = puts * 1e3 / millis;
    long bytes = ours.spaceBytes();
    figures.add("prune-" + name, rate);
    figures.add("prune-index-" + name, (double) bytes);
    say.say(
        String.format(
            Locale.ROOT,
            "  %,.0f updates/s %s pruning, %d versions, %,d KB of index",
            rate,
            name,
            ours.savedVersions(),
            bytes >> 10));
    return millis;
  }

  private void atOnce(ForestContender ours, double blockMillis) throws Exception {
    long own = -ReadBytes.now() + ReadBytes.now();
    long read = ReadBytes.now();
    long started = System.nanoTime();
    ours.prune(VERSIONS);
    double millis = (System.nanoTime() - started) / NANOS_PER_MS;
    read = Math.max(0, ReadBytes.now() - read - own);
    figures.add("prune-block", blockMillis);
    figures.add("prune-at-once", millis);
    figures.add("prune-at-once-read", (double) read);
    say.say(
        String.format(
            Locale.ROOT,
            "  %d versions pruned in %.3f ms, reading %,d B; a block takes %.2f ms",
            VERSIONS,
            millis,
            read,
            blockMillis));
  }
}

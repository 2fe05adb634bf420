package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Latencies;
import io.tallystick.bench.figure.Narrator;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/// How many bytes of pages are written for each block of one put, when savepoints come every ten
/// seconds and 200 such blocks a second, beside a savepoint for every block, which writes its path?
/// Nothing waits for the clock: a savepoint comes after as many blocks as ten seconds have.
final class TrickleCase {
  private static final double RATE_WANTED = 200;
  private static final double BYTES_WANTED = 0.5;
  private static final int SAVEPOINTS = 2;
  private static final int PATHS_SHARE = 10;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final Figures figures = new Figures();

  TrickleCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    this.load = new StateLoad(sizes.seed(), StateSizes.SMALL_VALUE_BYTES);
  }

  List<BenchCase> measure() throws Exception {
    int group = sizes.trickleBlocks();
    for (int i = 0; i < sizes.repetitions(); i++) {
      Trickled grouped =
          trickle(group, SAVEPOINTS * group, "trickle", "trickle-p99", "trickle-bytes");
      Trickled paths = trickle(1, Math.max(1, group / PATHS_SHARE), "trickle-path-bytes");
      figures.add("trickle", grouped.perSecond);
      figures.add("trickle-p99", grouped.latencies.p99());
      figures.add("trickle-bytes", grouped.bytesPerPut);
      figures.add("trickle-path-bytes", paths.bytesPerPut);
      say.say(
          String.format(
              Locale.ROOT,
              "  %,.0f blocks/s, p99 %.2f ms; %,.0f B of pages a put, %,.0f for a path",
              grouped.perSecond,
              grouped.latencies.p99(),
              grouped.bytesPerPut,
              paths.bytesPerPut));
    }
    return List.of(
        figures.wanted("trickle", "blocks/s", RATE_WANTED),
        figures.spread("trickle-p99", "ms"),
        figures.spread("trickle-bytes", "B/put"),
        figures.spread("trickle-path-bytes", "B/put"),
        figures.ratio("trickle-ratio", "trickle-bytes", "trickle-path-bytes", BYTES_WANTED));
  }

  private record Trickled(double perSecond, Latencies latencies, double bytesPerPut) {}

  /// Updates of random keys.
  ///
  /// @param blocks a multiple of the blocks of a savepoint
  /// @param figuresOf what is measured of it
  private Trickled trickle(int blocksOfSavepoint, int blocks, String... figuresOf)
      throws Exception {
    Path folder = home.fresh();
    Trickled trickled;
    try (ForestContender ours = new ForestContender(folder, sizes.shipped())) {
      int[] versions = new int[sizes.keys()];
      new Writing(ours, load, sizes.batch()).insert(0, sizes.keys());
      ours.settle();
      ours.saveEvery(blocksOfSavepoint);
      SplittableRandom random = new SplittableRandom(sizes.seed());
      Writing single = new Writing(ours, load, 1);
      long before = ours.pageBytes();
      long[] nanos = new long[blocks];
      for (int i = 0; i < blocks; i++) {
        nanos[i] = single.put(load.updates(random, 1, versions, versions.length));
      }
      trickled =
          new Trickled(
              1e9 / single.nanosPerBlock(),
              Latencies.of(LongStream.of(nanos)),
              (double) (ours.pageBytes() - before) / blocks);
      figures.under(ours, figuresOf);
      ReadThreads.gets(ours, load, versions.length, index -> versions[index])
          .run(random, Math.min(versions.length, sizes.gets()));
    }
    Home.delete(folder);
    return trickled;
  }
}

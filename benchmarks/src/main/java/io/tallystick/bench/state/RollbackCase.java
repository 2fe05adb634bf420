package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// How long does it take to go back 1, 10, 20 and 40 saved versions, with a block of updates
/// between two of them, until that is durable? A service does so to repair damage, and then carries
/// the operations since out again, which is not counted here. Source: ViDB figure 13.
final class RollbackCase {
  private static final int[] BACK = {1, 10, 20, 40};
  private static final double NANOS_PER_MS = 1e6;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final Figures figures = new Figures();

  RollbackCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    this.load = new StateLoad(sizes.seed(), StateSizes.SMALL_VALUE_BYTES);
  }

  List<BenchCase> measure() throws Exception {
    for (int i = 0; i < sizes.repetitions(); i++) {
      run();
    }
    List<BenchCase> cases = new ArrayList<>();
    for (int back : BACK) {
      cases.add(figures.spread("rollback-" + back, "ms"));
    }
    int farthest = BACK[BACK.length - 1];
    cases.add(figures.ratio("rollback-ratio", "rollback-" + farthest, "rollback-" + BACK[0]));
    cases.add(figures.spread("rollback-read", "B"));
    return cases;
  }

  private void run() throws Exception {
    Path folder = home.fresh();
    try (ForestContender ours = new ForestContender(folder, sizes.shipped().withAllVersions())) {
      Story story = new Story(ours);
      story.writing.insert(0, sizes.keys());
      ours.settle();
      ours.saveEvery(sizes.batch());
      for (int back : BACK) {
        story.write(back);
        story.back(back);
        figures.under(ours, "rollback-" + back);
      }
    }
    Home.delete(folder);
  }

  /// What a contender was told, block by block.
  private final class Story {
    private final ForestContender ours;
    private final Writing writing;
    private final SplittableRandom random = new SplittableRandom(sizes.seed());
    private final int[] versions = new int[sizes.keys()];

    /// The keys of each block that may be taken back, the newest last.
    private final Deque<int[]> blocks = new ArrayDeque<>();

    private Story(ForestContender ours) {
      this.ours = ours;
      this.writing = new Writing(ours, load, sizes.batch());
    }

    private void write(int count) throws Exception {
      for (int i = 0; i < count; i++) {
        List<Put> block = load.updates(random, sizes.batch(), versions, versions.length);
        writing.put(block);
        blocks.addLast(block.stream().mapToInt(put -> StateLoad.index(put.value())).toArray());
      }
    }

    private void back(int count) throws Exception {
      long read = ReadBytes.now();
      long started = System.nanoTime();
      ours.rollBack(count);
      double millis = (System.nanoTime() - started) / NANOS_PER_MS;
      read = ReadBytes.now() - read;
      for (int i = 0; i < count; i++) {
        for (int index : blocks.removeLast()) {
          versions[index]--;
        }
      }
      ReadThreads.gets(ours, load, versions.length, index -> versions[index])
          .run(new SplittableRandom(sizes.seed()), Math.min(versions.length, sizes.gets()));
      figures.add("rollback-" + count, millis);
      if (count == BACK[BACK.length - 1]) {
        figures.add("rollback-read", (double) read);
      }
      say.say(
          String.format(
              Locale.ROOT, "  %d versions back in %.3f ms, reading %,d B", count, millis, read));
    }
  }
}

package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.model.Digest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/// How many gets per second of the newest version, and of those 10, 20, 30 and 40 saved versions
/// back, with a block of updates between two of them? The tree's newest and oldest stand beside.
/// Source: ViDB figure 9.
final class HistoryCase {
  private static final int[] BACK = {10, 20, 30, 40};
  private static final int BLOCKS = 40;
  private static final double BACK_WANTED = 1.5;
  private static final int THREADS = 2;

  /// The first so many warm up.
  private static final int SLICES = 8;

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
      ours();
      tree();
    }
    List<BenchCase> cases = new ArrayList<>();
    cases.add(figures.spread("history-newest", "gets/s"));
    for (int back : BACK) {
      cases.add(figures.spread(name(back), "gets/s"));
    }
    String oldest = name(BLOCKS);
    cases.add(figures.ratio("history-ratio", "history-newest", oldest, BACK_WANTED));
    cases.add(figures.spread("history-tree", "gets/s"));
    cases.add(figures.ratio("history-tree-ratio", oldest, "history-tree"));
    return cases;
  }

  private static String name(int back) {
    return "history-" + back;
  }

  private void ours() throws Exception {
    Path folder = home.fresh();
    try (ForestContender ours = new ForestContender(folder, sizes.shipped().withAllVersions())) {
      int[] versions = new int[sizes.keys()];
      Writing writing = new Writing(ours, load, sizes.batch());
      writing.insert(0, sizes.keys());
      ours.settle();
      ours.saveEvery(sizes.batch());
      SplittableRandom random = new SplittableRandom(sizes.seed());
      Map<Integer, int[]> before = new HashMap<>();
      for (int back = BLOCKS; back > 0; back--) {
        before.put(back, versions.clone());
        writing.update(sizes.batch(), random, versions);
      }
      figures.under(ours, "history-newest");
      Map<String, ReadThreads.Loop> loops = new HashMap<>();
      loops.put("history-newest", ReadThreads.gets(ours, load, versions.length, i -> versions[i]));
      for (int back : BACK) {
        int[] then = Objects.requireNonNull(before.get(back));
        figures.under(ours, name(back));
        loops.put(
            name(back), ReadThreads.gets(ours.asOf(back), load, versions.length, i -> then[i]));
      }
      slices(loops);
    }
    Home.delete(folder);
  }

  /// All by turns, in short slices: the machine is another one soon.
  private void slices(Map<String, ReadThreads.Loop> loops) throws Exception {
    int count = Math.max(1, sizes.gets() / THREADS / SLICES);
    Map<String, double[]> rates = new HashMap<>();
    for (int i = -SLICES; i < SLICES; i++) {
      for (Map.Entry<String, ReadThreads.Loop> loop : loops.entrySet()) {
        double rate = ReadThreads.run(THREADS, count, loop.getValue());
        if (i >= 0) {
          rates.computeIfAbsent(loop.getKey(), _ -> new double[SLICES])[i] = rate;
        }
      }
    }
    rates.forEach((name, values) -> {
      double rate = BenchCase.median(values);
      figures.add(name, rate);
      say.say(String.format(Locale.ROOT, "  %s: %,.0f gets/s", name, rate));
    });
  }

  /// As many versions back, by its root.
  private void tree() throws Exception {
    Path folder = home.fresh();
    try (TreeContender tree = new TreeContender(folder, sizes.memoryBytes())) {
      Writing writing = new Writing(tree, load, sizes.batch());
      writing.insert(0, sizes.keys());
      Digest oldest = tree.root().orElseThrow();
      writing.update(
          BLOCKS * sizes.batch(), new SplittableRandom(sizes.seed()), new int[sizes.keys()]);
      tree.settle();
      figures.under(tree, "history-tree");
      Map<String, ReadThreads.Loop> loops = new HashMap<>();
      loops.put("history-tree", ReadThreads.gets(tree.asOf(oldest), load, sizes.keys(), _ -> 0));
      slices(loops);
    }
    Home.delete(folder);
  }
}

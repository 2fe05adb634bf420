package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.bench.figure.ProcessMemory;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Does a state with many keys take and answer as fast as one with a tenth of them, and in how much
/// memory? Inserts of random keys: the last that make the small state, and the last that make the
/// large one. A partition has as many keys as the small state.
final class GrowthCase {
  private static final double PUT_WANTED = 0.75;
  private static final double GET_WANTED = 0.6;
  private static final int THREADS = 2;
  private static final double MEGA = 1e6;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final Figures figures = new Figures();

  GrowthCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    this.load = new StateLoad(sizes.seed(), StateSizes.SMALL_VALUE_BYTES);
  }

  List<BenchCase> measure() throws Exception {
    for (int i = 0; i < sizes.repetitions(); i++) {
      grow();
    }
    List<BenchCase> cases = new ArrayList<>();
    for (String state : new String[] {"small", "large"}) {
      cases.add(figures.spread("growth-put-" + state, "puts/s"));
      cases.add(figures.spread("growth-get-" + state, "gets/s"));
      cases.add(figures.spread("growth-heap-" + state, "MB"));
      cases.add(figures.spread("growth-resident-" + state, "MB"));
    }
    cases.add(
        figures.ratio("growth-put-ratio", "growth-put-large", "growth-put-small", PUT_WANTED));
    cases.add(
        figures.ratio("growth-get-ratio", "growth-get-large", "growth-get-small", GET_WANTED));
    return cases;
  }

  private void grow() throws Exception {
    Path folder = home.fresh();
    try (ForestContender ours =
        new ForestContender(
            folder, ForestContender.Settings.of(sizes.partitions(), sizes.memoryBytes()))) {
      Writing writing = new Writing(ours, load, sizes.batch());
      int window = sizes.smallKeys() / 2;
      writing.insert(0, window);
      state("small", ours, writing, window, sizes.smallKeys());
      writing.insert(sizes.smallKeys(), sizes.largeKeys() - window);
      state("large", ours, writing, sizes.largeKeys() - window, sizes.largeKeys());
    }
    Home.delete(folder);
  }

  private void state(String name, ForestContender ours, Writing writing, int from, int keys)
      throws Exception {
    double puts = writing.insert(from, keys);
    ours.settle();
    ReadThreads.Loop loop = ReadThreads.gets(ours, load, keys, _ -> 0);
    int count = Math.max(1, sizes.gets() / THREADS);
    ReadThreads.run(THREADS, count, loop);
    double gets = ReadThreads.run(THREADS, count, loop);
    double heap = heapBytes() / MEGA;
    double resident =
        ProcessMemory.megabytes(ProcessMemory.of(ProcessHandle.current().pid()).residentBytes());
    figures.add("growth-put-" + name, puts);
    figures.add("growth-get-" + name, gets);
    figures.add("growth-heap-" + name, heap);
    figures.add("growth-resident-" + name, resident);
    say.say(
        String.format(
            Locale.ROOT,
            "  %s, %,d keys: %,.0f puts/s, %,.0f gets/s, %,.0f MB of heap, %,.0f MB resident",
            name,
            keys,
            puts,
            gets,
            heap,
            resident));
  }

  /// What is left after a full collection.
  private static long heapBytes() {
    ManagementFactory.getMemoryMXBean().gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}

package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.bench.figure.ProcessMemory;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Does a state with many keys take and answer as fast as one with a twentieth of them, and in how
/// much memory? Inserts of random keys: the last that make the small state, and the last that make
/// the large one. Partitions have twice as many keys as the small state; the cache is as large a
/// part of the index in both. RocksDB stands beside. Source: ViDB figure 17.
final class GrowthCase {
  private static final double PUT_WANTED = 0.75;
  private static final double GET_WANTED = 0.6;
  private static final int THREADS = 2;
  private static final double MEGA = 1e6;
  private static final String SMALL = "small";
  private static final String LARGE = "large";

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
      for (String contender : List.of(Contenders.OURS, Contenders.ROCKS)) {
        grow(SMALL, contender, sizes.keys());
        grow(LARGE, contender, sizes.largeKeys());
      }
    }
    List<BenchCase> cases = new ArrayList<>();
    for (String state : List.of(SMALL, LARGE)) {
      cases.add(figures.spread("growth-put-" + state, "puts/s"));
      cases.add(figures.spread("growth-get-" + state, "gets/s"));
      cases.add(figures.spread("growth-heap-" + state, "MB"));
      cases.add(figures.spread("growth-resident-" + state, "MB"));
    }
    cases.add(
        figures.ratio("growth-put-ratio", "growth-put-large", "growth-put-small", PUT_WANTED));
    cases.add(
        figures.ratio("growth-get-ratio", "growth-get-large", "growth-get-small", GET_WANTED));
    for (String what : List.of("growth-put", "growth-get")) {
      cases.add(
          figures.ratio(
              Contenders.figure(what, Contenders.ROCKS) + "-ratio",
              Contenders.figure(what + "-large", Contenders.ROCKS),
              Contenders.figure(what + "-small", Contenders.ROCKS)));
    }
    return cases;
  }

  private void grow(String state, String contender, int keys) throws Exception {
    Path folder = home.fresh();
    try (StateContender each = Contenders.open(contender, folder, sizes.scaled(keys))) {
      Writing writing = new Writing(each, load, sizes.batch());
      int measured = sizes.keys() / 2;
      writing.insert(0, keys - measured);
      double puts = writing.insert(keys - measured, keys);
      each.settle();
      ReadThreads.Loop loop = ReadThreads.gets(each, load, keys, _ -> 0);
      int count = Math.max(1, sizes.gets() / THREADS);
      ReadThreads.run(THREADS, count, loop);
      double gets = ReadThreads.run(THREADS, count, loop);
      String put = Contenders.figure("growth-put-" + state, contender);
      String get = Contenders.figure("growth-get-" + state, contender);
      figures.under(each, put, get);
      figures.add(put, puts);
      figures.add(get, gets);
      say.say(
          String.format(
              Locale.ROOT,
              "  %-8s %s, %,d keys: %,.0f puts/s, %,.0f gets/s",
              contender,
              state,
              keys,
              puts,
              gets));
      if (contender.equals(Contenders.OURS)) {
        memory(state, each);
      }
    }
    Home.delete(folder);
  }

  private void memory(String state, StateContender ours) throws Exception {
    double heap = heapBytes() / MEGA;
    double resident =
        ProcessMemory.megabytes(ProcessMemory.of(ProcessHandle.current().pid()).residentBytes());
    figures.under(ours, "growth-heap-" + state, "growth-resident-" + state);
    figures.add("growth-heap-" + state, heap);
    figures.add("growth-resident-" + state, resident);
    say.say(String.format(Locale.ROOT, "  %,.0f MB of heap, %,.0f MB resident", heap, resident));
  }

  /// What is left after a full collection.
  private static long heapBytes() {
    ManagementFactory.getMemoryMXBean().gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}

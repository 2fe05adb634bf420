package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// How many bytes of index does a key take on the disk, beside its bare entry, after all keys were
/// inserted, and after five times as many updates of them? Partitions are a tenth of the keys, so
/// that old ones are folded.
final class SpaceCase {
  private static final double INSERTED_WANTED = 2;
  private static final double UPDATED_WANTED = 4.5;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final Figures figures = new Figures();

  SpaceCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    this.load = new StateLoad(sizes.seed(), StateSizes.SMALL_VALUE_BYTES);
  }

  List<BenchCase> measure() throws Exception {
    for (int i = 0; i < sizes.repetitions(); i++) {
      fill();
    }
    return List.of(
        figures.spread("space-inserted-bytes", "B/key"),
        figures.wanted("space-inserted", "x", INSERTED_WANTED),
        figures.spread("space-updated-bytes", "B/key"),
        figures.wanted("space-updated", "x", UPDATED_WANTED));
  }

  private void fill() throws Exception {
    Path folder = home.fresh();
    int keys = sizes.smallKeys();
    try (ForestContender ours =
        new ForestContender(folder, ForestContender.Settings.of(sizes.smallPartitions()))) {
      Writing writing = new Writing(ours, load, sizes.batch());
      writing.insert(0, keys);
      report("inserted", ours, keys);
      int[] versions = new int[keys];
      writing.update(sizes.updates(), new SplittableRandom(sizes.seed()), versions);
      report("updated", ours, keys);
      ReadThreads.gets(ours, load, keys, index -> versions[index])
          .run(new SplittableRandom(sizes.seed()), Math.min(keys, sizes.gets()));
    }
    Home.delete(folder);
  }

  private void report(String name, ForestContender ours, int keys) throws Exception {
    ours.settle();
    double bytes = (double) ours.spaceBytes() / keys;
    double bare = bareEntryBytes(keys);
    figures.add("space-" + name + "-bytes", bytes);
    figures.add("space-" + name, bytes / bare);
    say.say(
        String.format(
            Locale.ROOT,
            "  %s: %,.0f B a key, %.2f times a bare entry of %.0f",
            name,
            bytes,
            bytes / bare,
            bare));
  }

  private double bareEntryBytes(int keys) {
    return StateEntry.put(
            load.key(0), Digest.ZERO, load.valueBytes(), new Jsn(keys + (long) sizes.updates()))
        .encode()
        .size();
  }
}

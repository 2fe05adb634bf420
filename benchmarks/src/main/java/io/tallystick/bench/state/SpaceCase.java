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

/// What does a state take on the disk? First all files, one version, beside keys and values alone;
/// the index with the older versions that are kept; the tree and RocksDB. Then few keys, each
/// updated a hundred times, with 40 older versions. At last the index of small values, one version
/// and with the older ones, beside its bare entries, after all keys were inserted, and after five
/// times as many updates of them, in partitions of a tenth of the keys, so that old ones are
/// folded. Source: ViDB figures 10 and 12.
final class SpaceCase {
  private static final double ONE_WANTED = 1.15;
  private static final int VERSIONS = 40;
  private static final int KEY_BYTES = 32;
  private static final int ROUNDS = 100;
  private static final int REPEATED_SHARE = 100;
  private static final int REPEATED_MIN = 100;
  private static final double INSERTED_WANTED = 2;
  private static final double UPDATED_WANTED = 4.5;

  private static final double MEGA = 1e6;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final StateLoad large;
  private final Figures figures = new Figures();

  SpaceCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    this.load = new StateLoad(sizes.seed(), StateSizes.SMALL_VALUE_BYTES);
    this.large = new StateLoad(sizes.seed(), sizes.valueBytes());
  }

  List<BenchCase> measure() throws Exception {
    for (int i = 0; i < sizes.repetitions(); i++) {
      oneVersion();
      repeated();
      for (String rival : List.of(Contenders.TREE, Contenders.ROCKS)) {
        rival(rival);
        repeatedRival(rival);
      }
      fill();
    }
    return List.of(
        figures.wanted("space-one", "x", ONE_WANTED),
        figures.spread("space-one-index", "B/key"),
        figures.spread("space-one-rows", "B/key"),
        figures.spread("space-one-log", "B/key"),
        figures.spread("space-ahead", "MB"),
        figures.spread("space-kept", "x"),
        figures.spread("space-one-tree", "x"),
        figures.spread("space-one-rocksdb", "x"),
        figures.spread("space-repeated", "x"),
        figures.spread("space-repeated-log", "x"),
        figures.spread("space-repeated-tree", "x"),
        figures.spread("space-repeated-rocksdb", "x"),
        figures.spread("space-inserted-bytes", "B/key"),
        figures.wanted("space-inserted", "x", INSERTED_WANTED),
        figures.spread("space-inserted-kept", "x"),
        figures.spread("space-updated-bytes", "B/key"),
        figures.wanted("space-updated", "x", UPDATED_WANTED),
        figures.spread("space-updated-kept", "x"));
  }

  private double logicalBytes(int keys) {
    return (double) keys * (KEY_BYTES + large.valueBytes());
  }

  /// As shipped, before and after its older versions are pruned.
  private void oneVersion() throws Exception {
    Path folder = home.fresh();
    int keys = sizes.keys();
    try (ForestContender ours = new ForestContender(folder, sizes.shipped())) {
      new Writing(ours, large, sizes.batch()).insert(0, keys);
      ours.settle();
      int kept = ours.savedVersions() - 1;
      ForestContender.Space before = ours.space();
      ours.keepNewestAlone();
      ForestContender.Space space = ours.space();
      figures.under(ours, "space-one", "space-one-index", "space-one-rows", "space-one-log");
      figures.under(ours, "space-kept");
      figures.add("space-one", space.all() / logicalBytes(keys));
      figures.add("space-one-index", (double) space.index() / keys);
      figures.add("space-one-rows", (double) space.rows() / keys);
      figures.add("space-one-log", (double) space.log() / keys);
      figures.add("space-ahead", space.ahead() / MEGA);
      figures.add("space-kept", (double) before.index() / space.index());
      say.say(
          String.format(
              Locale.ROOT,
              "  one version: %,d B a key: %,d index, %,d rows, %,d log; index with %d older"
                  + " versions: %,d",
              space.all() / keys,
              space.index() / keys,
              space.rows() / keys,
              space.log() / keys,
              kept,
              before.index() / keys));
      ReadThreads.gets(ours, large, keys, _ -> 0)
          .run(new SplittableRandom(sizes.seed()), Math.min(keys, sizes.gets()));
    }
    Home.delete(folder);
  }

  private void rival(String name) throws Exception {
    Path folder = home.fresh();
    try (StateContender rival = Contenders.open(name, folder, sizes.shipped())) {
      new Writing(rival, large, sizes.batch()).insert(0, sizes.keys());
      rival.settle();
      String figure = Contenders.figure("space-one", name);
      figures.under(rival, figure);
      add(figure, rival.spaceBytes() / logicalBytes(sizes.keys()));
    }
    Home.delete(folder);
  }

  private void add(String figure, double times) {
    figures.add(figure, times);
    say.say(String.format(Locale.ROOT, "  %s: %.2f times the keys and values", figure, times));
  }

  private int repeatedKeys() {
    return Math.max(REPEATED_MIN, sizes.keys() / REPEATED_SHARE);
  }

  /// Every block updates all keys.
  private void update(StateContender contender) throws Exception {
    int keys = repeatedKeys();
    Writing writing = new Writing(contender, large, keys);
    for (int round = 0; round <= ROUNDS; round++) {
      writing.put(large.range(0, keys, round));
    }
    contender.settle();
    ReadThreads.gets(contender, large, keys, _ -> ROUNDS)
        .run(new SplittableRandom(sizes.seed()), Math.min(keys, sizes.gets()));
  }

  private void repeated() throws Exception {
    Path folder = home.fresh();
    ForestSettings settings =
        sizes.shipped().withVersions(VERSIONS).withSavepointEvery(repeatedKeys());
    try (ForestContender ours = new ForestContender(folder, settings)) {
      update(ours);
      figures.under(ours, "space-repeated", "space-repeated-log");
      ForestContender.Space space = ours.space();
      double logical = logicalBytes(repeatedKeys());
      add("space-repeated", (space.index() + space.rows()) / logical);
      add("space-repeated-log", space.log() / logical);
    }
    Home.delete(folder);
  }

  private void repeatedRival(String name) throws Exception {
    Path folder = home.fresh();
    try (StateContender rival = Contenders.open(name, folder, sizes.shipped())) {
      update(rival);
      String figure = Contenders.figure("space-repeated", name);
      figures.under(rival, figure);
      add(figure, rival.spaceBytes() / logicalBytes(repeatedKeys()));
    }
    Home.delete(folder);
  }

  private void fill() throws Exception {
    Path folder = home.fresh();
    int keys = sizes.spaceKeys();
    try (ForestContender ours = new ForestContender(folder, sizes.folding())) {
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

  /// With the older versions that are kept, and without.
  private void report(String name, ForestContender ours, int keys) throws Exception {
    double bare = bareEntryBytes(keys);
    ours.settle();
    double kept = indexAndRows(ours) / keys;
    ours.keepNewestAlone();
    double bytes = indexAndRows(ours) / keys;
    String figure = "space-" + name;
    figures.under(ours, figure, figure + "-bytes", figure + "-kept");
    figures.add(figure + "-bytes", bytes);
    figures.add(figure, bytes / bare);
    figures.add(figure + "-kept", kept / bare);
    say.say(
        String.format(
            Locale.ROOT,
            "  %s: %,.0f B a key, %.2f times a bare entry of %.0f; %.2f with older versions",
            name,
            bytes,
            bytes / bare,
            bare,
            kept / bare));
  }

  private static double indexAndRows(ForestContender ours) throws Exception {
    ForestContender.Space space = ours.space();
    return (double) space.index() + space.rows();
  }

  private double bareEntryBytes(int keys) {
    return StateEntry.put(
            load.key(0), Digest.ZERO, load.valueBytes(), new Jsn(keys + (long) sizes.updates()))
        .encode()
        .size();
  }
}

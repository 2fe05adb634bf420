package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.DiskUse;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.model.Bytes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// How many puts per second become durable and provable, in batches, and how many gets per second
/// are answered with a checked value, warm, by two threads? Ours, the tree, RocksDB and the limit
/// by turns, each on a fresh folder.
final class PutGetCase {
  private static final String PUT = "put";
  private static final String GET = "get";
  private static final double PUT_TREE_WANTED = 4;
  private static final double PUT_ROCKS_WANTED = 0.85;
  private static final double GET_TREE_WANTED = 3;
  private static final double GET_ROCKS_WANTED = 0.7;
  private static final int THREADS = 2;
  private static final int WARM_UP_SHARE = 4;
  private static final int PROOFS = 100;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final StateLimits limits;

  PutGetCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    this.load = new StateLoad(sizes.seed(), sizes.valueBytes());
    this.limits = new StateLimits(home.path(), sizes.valueBytes());
  }

  List<BenchCase> measure(boolean put, boolean get) throws Exception {
    Figures figures = new Figures();
    for (String name : Contenders.ALL) {
      turn(name, sizes.keys() / WARM_UP_SHARE, get, new Figures());
    }
    for (int i = 0; i < sizes.repetitions(); i++) {
      for (String name : Contenders.ALL) {
        turn(name, sizes.keys(), get, figures);
      }
      figures.add("put-limit", limits.puts(sizes.keys(), sizes.batch()));
      if (get) {
        figures.add("get-limit", limits.gets(sizes.keys(), sizes.gets(), THREADS));
      }
    }
    List<BenchCase> cases = new ArrayList<>();
    if (put) {
      cases.addAll(cases(figures, PUT, "puts/s", PUT_TREE_WANTED, PUT_ROCKS_WANTED));
    }
    if (get) {
      cases.addAll(cases(figures, GET, "gets/s", GET_TREE_WANTED, GET_ROCKS_WANTED));
    }
    return cases;
  }

  private static List<BenchCase> cases(
      Figures figures, String name, String unit, double treeWanted, double rocksWanted) {
    return List.of(
        figures.beside(name, unit, name + "-limit"),
        figures.spread(name + "-tree", unit),
        figures.ratio(name + "-tree-ratio", name, name + "-tree", treeWanted),
        figures.spread(name + "-rocksdb", unit),
        figures.ratio(name + "-rocksdb-ratio", name, name + "-rocksdb", rocksWanted));
  }

  private void turn(String name, int keys, boolean get, Figures figures) throws Exception {
    Path folder = home.fresh();
    try (StateContender contender = Contenders.open(name, folder, sizes.shipped())) {
      double puts = new Writing(contender, load, sizes.batch()).insert(0, keys);
      figures.add(Contenders.figure(PUT, name), puts);
      contender.settle();
      figures.under(contender, Contenders.figure(PUT, name), Contenders.figure(GET, name));
      double gets = 0;
      if (get) {
        ReadThreads.Loop loop = ReadThreads.gets(contender, load, keys, _ -> 0);
        int count = Math.max(1, sizes.gets() / THREADS);
        ReadThreads.run(THREADS, count, loop);
        gets = ReadThreads.run(THREADS, count, loop);
        figures.add(Contenders.figure(GET, name), gets);
      }
      checkProofs(contender, keys);
      say.say(
          String.format(
              Locale.ROOT,
              "  %-8s %,10d keys: %,10.0f puts/s, %,10.0f gets/s, %,d MB on the disk",
              name,
              keys,
              puts,
              gets,
              DiskUse.lengthsBelow(folder) >> 20));
    }
    Home.delete(folder);
  }

  private void checkProofs(StateContender contender, int keys) throws Exception {
    if (contender instanceof ForestContender ours) {
      for (int i = 0; i < Math.min(PROOFS, keys); i++) {
        Bytes key = load.key(i);
        ProofCheck.requirePresent(ours.verify(key, ours.proof(key).orElseThrow()));
      }
    }
  }
}

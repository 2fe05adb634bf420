package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// How many updates of random keys per second, by the size of a batch and by that of a value, and
/// how many gets by the latter, beside the tree and RocksDB? All keys are there before. Source:
/// ViDB figures 6 and 7.
final class BatchCase {
  private static final int[] BATCHES = {500, 1_000, 2_000, 5_000, 10_000};
  private static final int[] VALUE_BYTES = {64, 256, 1_024, 4_096};

  /// Of the values when batches are measured.
  private static final int USUAL_VALUE_BYTES = 1_024;

  /// Of the batches when values are measured.
  private static final int USUAL_BATCH = 2_000;

  private static final int THREADS = 2;
  private static final int BLOCKS_MIN = 4;

  /// Updates of one measurement are one part of so many of the keys, or a few blocks.
  private static final int UPDATES_SHARE = 5;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final int[] batches;
  private final int usualBatch;
  private final Figures figures = new Figures();

  BatchCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    int[] small = Arrays.stream(BATCHES).filter(batch -> batch <= sizes.keys()).toArray();
    this.batches = small.length == 0 ? new int[] {sizes.batch()} : small;
    this.usualBatch = Math.min(USUAL_BATCH, batches[batches.length - 1]);
  }

  List<BenchCase> measure() throws Exception {
    for (int i = 0; i < sizes.repetitions(); i++) {
      for (int valueBytes : VALUE_BYTES) {
        for (String name : Contenders.ALL) {
          turn(name, valueBytes);
        }
      }
    }
    List<BenchCase> cases = new ArrayList<>();
    for (int batch : batches) {
      addCases(cases, "batch-" + batch, "puts/s");
    }
    for (int valueBytes : VALUE_BYTES) {
      addCases(cases, "batch-value-" + valueBytes + "-put", "puts/s");
      addCases(cases, "batch-value-" + valueBytes + "-get", "gets/s");
    }
    return cases;
  }

  private void addCases(List<BenchCase> cases, String name, String unit) {
    cases.add(figures.spread(name, unit));
    for (String rival : List.of(Contenders.TREE, Contenders.ROCKS)) {
      String figure = Contenders.figure(name, rival);
      cases.add(figures.spread(figure, unit));
      cases.add(figures.ratio(figure + "-ratio", name, figure));
    }
  }

  private void turn(String contender, int valueBytes) throws Exception {
    Path folder = home.fresh();
    StateLoad load = new StateLoad(sizes.seed(), valueBytes);
    int[] versions = new int[sizes.keys()];
    SplittableRandom random = new SplittableRandom(sizes.seed());
    try (StateContender each = Contenders.open(contender, folder, sizes.shipped())) {
      new Writing(each, load, usualBatch).insert(0, versions.length);
      String name = "batch-value-" + valueBytes;
      Writing usual = new Writing(each, load, usualBatch);
      add(each, contender, name + "-put", puts(usual, usualBatch, random, versions));
      each.settle();
      add(each, contender, name + "-get", gets(each, load, versions));
      if (valueBytes == USUAL_VALUE_BYTES) {
        for (int batch : batches) {
          Writing writing = new Writing(each, load, batch);
          add(each, contender, "batch-" + batch, puts(writing, batch, random, versions));
        }
        gets(each, load, versions);
      }
    }
    Home.delete(folder);
  }

  private double puts(Writing writing, int batch, SplittableRandom random, int[] versions)
      throws Exception {
    int blocks = Math.max(BLOCKS_MIN, versions.length / UPDATES_SHARE / batch);
    writing.update(blocks * batch, random, versions);
    return batch * 1e9 / writing.nanosPerBlock();
  }

  private double gets(StateContender contender, StateLoad load, int[] versions) throws Exception {
    ReadThreads.Loop loop =
        ReadThreads.gets(contender, load, versions.length, index -> versions[index]);
    int count = Math.max(1, sizes.gets() / THREADS);
    ReadThreads.run(THREADS, count, loop);
    return ReadThreads.run(THREADS, count, loop);
  }

  private void add(StateContender contender, String name, String figure, double rate)
      throws Exception {
    contender.settle();
    figures.under(contender, Contenders.figure(figure, name));
    figures.add(Contenders.figure(figure, name), rate);
    say.say(String.format(Locale.ROOT, "  %s: %,.0f/s", Contenders.figure(figure, name), rate));
  }
}

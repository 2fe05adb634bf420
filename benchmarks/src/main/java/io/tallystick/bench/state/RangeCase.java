package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// How many keys per second does one thread read with their values, checked, in ranges of 5 to
/// 2,000 keys from a random one on, beside the tree and RocksDB; and of ten times the keys, in
/// several partitions? Source: ViDB figure 8.
final class RangeCase {
  private static final int[] LENGTHS = {5, 50, 500, 2_000};
  private static final int LENGTH_OF_LARGE = 500;
  private static final String UNIT = "keys/s";

  /// A range is of at most one part of so many of the keys.
  private static final int SHARE_MIN = 2;

  private final Home home;
  private final StateSizes sizes;
  private final Narrator say;
  private final StateLoad load;
  private final int[] lengths;
  private final Figures figures = new Figures();

  RangeCase(Home home, StateSizes sizes, Narrator say) {
    this.home = home;
    this.sizes = sizes;
    this.say = say;
    this.load = new StateLoad(sizes.seed(), sizes.valueBytes());
    this.lengths =
        Arrays.stream(LENGTHS).filter(length -> length <= sizes.keys() / SHARE_MIN).toArray();
  }

  List<BenchCase> measure() throws Exception {
    for (int i = 0; i < sizes.repetitions(); i++) {
      for (String name : Contenders.ALL) {
        turn(name);
      }
      large();
    }
    List<BenchCase> cases = new ArrayList<>();
    for (int length : lengths) {
      String name = name(length);
      cases.add(figures.spread(name, UNIT));
      for (String rival : List.of(Contenders.TREE, Contenders.ROCKS)) {
        String figure = Contenders.figure(name, rival);
        cases.add(figures.spread(figure, UNIT));
        cases.add(figures.ratio(figure + "-ratio", name, figure));
      }
    }
    cases.add(figures.spread("range-large", UNIT));
    cases.add(figures.ratio("range-large-ratio", "range-large", name(lengthOfLarge())));
    return cases;
  }

  private static String name(int length) {
    return "range-" + length;
  }

  private int lengthOfLarge() {
    return Math.min(LENGTH_OF_LARGE, lengths[lengths.length - 1]);
  }

  private void turn(String contender) throws Exception {
    Path folder = home.fresh();
    try (StateContender each = Contenders.open(contender, folder, sizes.shipped())) {
      new Writing(each, load, sizes.batch()).insert(0, sizes.keys());
      each.settle();
      for (int length : lengths) {
        String figure = Contenders.figure(name(length), contender);
        figures.under(each, figure);
        ranges(figure, each, length, sizes.keys());
      }
    }
    Home.delete(folder);
  }

  private void large() throws Exception {
    Path folder = home.fresh();
    int keys = sizes.rangeKeys();
    try (ForestContender ours = new ForestContender(folder, sizes.scaled(keys))) {
      new Writing(ours, load, sizes.batch()).insert(0, keys);
      ours.settle();
      figures.under(ours, "range-large");
      ranges("range-large", ours, lengthOfLarge(), keys);
    }
    Home.delete(folder);
  }

  /// Once to warm up, once measured, at the same places.
  private void ranges(String figure, StateContender contender, int length, int keys)
      throws Exception {
    int count = Math.max(1, sizes.gets() / length);
    for (boolean warm : new boolean[] {false, true}) {
      SplittableRandom random = new SplittableRandom(sizes.seed());
      long read = 0;
      long started = System.nanoTime();
      for (int i = 0; i < count; i++) {
        read += range(contender, random.nextInt(keys), length);
      }
      double rate = read * 1e9 / (System.nanoTime() - started);
      if (warm) {
        figures.add(figure, rate);
        say.say(String.format(Locale.ROOT, "  %s: %,.0f keys/s", figure, rate));
      }
    }
  }

  /// @return how many keys it has: fewer than asked for at the end of the state
  private int range(StateContender contender, int first, int length) throws Exception {
    List<Found> found = contender.range(load.key(first), length);
    for (Found each : found) {
      if (!load.matches(each.key(), each.value())) {
        throw new AssertionError("key " + each.key() + " has another's value");
      }
    }
    if (found.isEmpty() || !found.getFirst().key().equals(load.key(first))) {
      throw new AssertionError("a range does not begin with key " + first);
    }
    return found.size();
  }
}

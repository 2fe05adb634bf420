package io.tallystick.bench.clue;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/// How fast does the clue index take entries, Merkle frontier included, and how fast does it find
/// the newest entry not above a jsn, beside RocksDB on the same disk in the same run? One thread
/// inserts, in batches, and reads; the workers of the one and the background threads of the other
/// help with the batches. The two by turns, each on a fresh folder.
public final class ClueBench {
  public static final String INSERT = "csl-insert";
  public static final String GET = "csl-get";
  public static final List<String> CASES = List.of(INSERT, GET);

  /// Heads of the one, block cache of the other.
  static final long MEMORY_BYTES = 256L << 20;

  /// Entries of a batch.
  private static final int STEP = 1000;

  private static final int GETS = 500_000;
  private static final int WARM_UP_GETS = 100_000;
  private static final long SEED = 5;
  private static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();

  /// What is measured.
  ///
  /// @param exponents of Zipf's law, each a case of its own; 0 is uniform
  /// @param savepointEntries entries after which a savepoint is due; 0: as time and memory say
  public record Settings(
      int entries, int clues, List<Double> exponents, int savepointEntries, int repetitions) {
    public Settings {
      exponents = List.copyOf(exponents);
    }
  }

  private final Path home;
  private final Settings settings;
  private final Narrator say;
  private int folders;

  /// @param home an empty folder
  public ClueBench(Path home, Settings settings, Narrator say) {
    this.home = home;
    this.settings = settings;
    this.say = say;
  }

  public List<BenchCase> run(List<String> cases) throws Exception {
    List<BenchCase> measured = new ArrayList<>();
    for (double exponent : settings.exponents()) {
      ClueLoad load = new ClueLoad(settings.entries(), settings.clues(), exponent, SEED);
      String name = exponent == 0 ? "uniform" : String.format(Locale.ROOT, "zipf-%.2f", exponent);
      say.say(
          String.format(
              Locale.ROOT, "%s: %,d entries of %,d clues", name, load.entries(), settings.clues()));
      Measured both = new Measured(cases.contains(GET));
      for (int run = 0; run < settings.repetitions(); run++) {
        measure(load, both);
      }
      measured.addAll(both.cases(name, cases));
    }
    return measured;
  }

  /// Seconds of each repetition.
  private static final class Measured {
    private final boolean gets;
    private final List<Double> cslInsert = new ArrayList<>();
    private final List<Double> rocksInsert = new ArrayList<>();
    private final List<Double> cslGet = new ArrayList<>();
    private final List<Double> rocksGet = new ArrayList<>();
    private final List<Double> compactGet = new ArrayList<>();

    private Measured(boolean gets) {
      this.gets = gets;
    }

    private List<BenchCase> cases(String name, List<String> wanted) {
      List<BenchCase> cases = new ArrayList<>();
      if (wanted.contains(INSERT)) {
        cases.add(BenchCase.spread(INSERT + "-" + name, "entries/s", array(cslInsert)));
        addRival(cases, INSERT + "-" + name + "-rocksdb", "entries/s", cslInsert, rocksInsert);
      }
      if (gets) {
        cases.add(BenchCase.spread(GET + "-" + name, "look-ups/s", array(cslGet)));
        addRival(cases, GET + "-" + name + "-rocksdb", "look-ups/s", cslGet, rocksGet);
        addRival(cases, GET + "-" + name + "-compacted", "look-ups/s", cslGet, compactGet);
      }
      return cases;
    }

    /// The rival's figures, and how many times ours are theirs, run by run.
    private static void addRival(
        List<BenchCase> cases, String name, String unit, List<Double> csl, List<Double> rocks) {
      double[] ratios = new double[csl.size()];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = csl.get(i) / rocks.get(i);
      }
      cases.add(BenchCase.spread(name, unit, array(rocks)));
      cases.add(BenchCase.spread(name + "-ratio", "x", ratios));
    }

    private static double[] array(List<Double> values) {
      return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
  }

  private void measure(ClueLoad load, Measured both) throws Exception {
    Path cslFolder = fresh();
    long sum;
    try (SkipLists csl = new SkipLists(cslFolder, settings.savepointEntries())) {
      both.cslInsert.add(insert(csl, load, "csl"));
      say.say(String.format(Locale.ROOT, "    %d savepoints", csl.savepoints()));
      sum = both.gets ? get(csl, load, "csl", both.cslGet) : 0;
    }
    delete(cslFolder);
    Path rocksFolder = fresh();
    try (RocksRival rocks = new RocksRival(rocksFolder)) {
      both.rocksInsert.add(insert(rocks, load, "rocksdb"));
      if (both.gets) {
        rocks.settle();
        checkSame(sum, get(rocks, load, "rocksdb", both.rocksGet));
        rocks.compact();
        checkSame(sum, get(rocks, load, "compact", both.compactGet));
      }
    }
    delete(rocksFolder);
  }

  private static void checkSame(long csl, long rocks) {
    if (csl != rocks) {
      throw new AssertionError(String.format(Locale.ROOT, "csl found %d, rocksdb %d", csl, rocks));
    }
  }

  private double insert(ClueStore store, ClueLoad load, String name) throws Exception {
    long cpu = THREAD.getCurrentThreadCpuTime();
    long started = System.nanoTime();
    for (int done = 0; done < load.entries(); done += STEP) {
      store.insert(load, done, Math.min(load.entries(), done + STEP));
    }
    long inserted = System.nanoTime();
    store.save();
    long saved = System.nanoTime();
    cpu = THREAD.getCurrentThreadCpuTime() - cpu;
    double rate = load.entries() * 1e9 / (saved - started);
    say.say(
        String.format(
            Locale.ROOT,
            "  %-8s %,12.0f entries/s, %,.0f ns of its thread each; saved at the end in %.2f s; %,d MB",
            name,
            rate,
            (double) cpu / load.entries(),
            (saved - inserted) / 1e9,
            store.diskBytes() >> 20));
    return rate;
  }

  private long get(ClueStore store, ClueLoad load, String name, List<Double> rates)
      throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    long sum = 0;
    for (int i = 0; i < WARM_UP_GETS; i++) {
      sum += store.latest(load.anyClue(random), random.nextLong(load.entries()));
    }
    long cpu = THREAD.getCurrentThreadCpuTime();
    long started = System.nanoTime();
    for (int i = 0; i < GETS; i++) {
      sum += store.latest(load.anyClue(random), random.nextLong(load.entries()));
    }
    double rate = GETS * 1e9 / (System.nanoTime() - started);
    cpu = THREAD.getCurrentThreadCpuTime() - cpu;
    rates.add(rate);
    say.say(
        String.format(
            Locale.ROOT,
            "  %-8s %,12.0f look-ups/s, %,.0f ns of its thread each",
            name,
            rate,
            (double) cpu / GETS));
    return sum;
  }

  private Path fresh() throws IOException {
    return Files.createDirectory(home.resolve("clues-" + folders++));
  }

  static long bytesBelow(Path folder) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}

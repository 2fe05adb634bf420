package io.tallystick.bench.clue;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import io.tallystick.crypto.Keccak256;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.meta.RocksMetaStore;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.storage.patricia.PatriciaStore;
import io.tallystick.storage.patricia.PatriciaTrie;
import io.tallystick.storage.patricia.TrieBatch;
import io.tallystick.storage.patricia.Workers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import tools.jackson.databind.json.JsonMapper;

/// How long does the clue trie take for 100,000 fresh keys beside a million, in memory and with the
/// root, on all processors and on one, beside go-ethereum's trie and Apache Tuweni's? And how much
/// of its file is in use after ten million updates?
public final class TrieBench {
  public static final String INSERT = "trie-insert";
  public static final String SPACE = "trie-space";
  public static final List<String> CASES = List.of(INSERT, SPACE);

  private static final StrandId STRAND = new StrandId(new LedgerId(Digest.ZERO), 0);
  private static final int BASE = 1_000_000;
  private static final int BATCH = 100_000;
  private static final int VALUE_BYTES = 38;
  private static final int WARM_UPS = 3;
  private static final int SPACE_CLUES = 100_000;
  private static final int SPACE_UPDATES = 10_000_000;
  private static final int SAVEPOINT_UPDATES = 400_000;

  private final Path home;
  private final Path rivals;
  private final int repetitions;
  private final Narrator say;

  /// @param home an empty folder
  /// @param rivals where `benchmarks/rivals/build` put them; one that is not there is left out
  public TrieBench(Path home, Path rivals, int repetitions, Narrator say) {
    this.home = home;
    this.rivals = rivals;
    this.repetitions = repetitions;
    this.say = say;
  }

  /// @param name one of {@link #CASES}
  public List<BenchCase> measure(String name) throws Exception {
    say.say("measuring " + name + " ...");
    return switch (name) {
      case INSERT -> insert();
      case SPACE -> space();
      default -> throw new IllegalArgumentException("no case " + name);
    };
  }

  private List<BenchCase> insert() throws Exception {
    int processors = Runtime.getRuntime().availableProcessors();
    double[] all = millis(processors);
    double[] one = millis(1);
    List<BenchCase> cases = new ArrayList<>();
    cases.add(
        BenchCase.spread(
            String.format(Locale.ROOT, "trie-insert-%d-workers", processors), "ms", all));
    cases.add(BenchCase.spread("trie-insert-1-worker", "ms", one));
    cases.add(BenchCase.figure("trie-insert-speed-up", ratio(one, all), "x"));
    rival(cases, "go-ethereum", all, rivals.resolve("geth"), geth());
    rival(cases, "tuweni", all, rivals.resolve("tuweni"), tuweni());
    return cases;
  }

  private List<String> geth() {
    return List.of(
        rivals.resolve("geth").toString(),
        "-base",
        "" + BASE,
        "-batch",
        "" + BATCH,
        "-runs",
        runs());
  }

  private List<String> tuweni() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx6g",
        "-cp",
        rivals.resolve("tuweni") + "/*",
        "TuweniTrie",
        "" + BASE,
        "" + BATCH,
        runs());
  }

  private String runs() {
    return "" + Math.max(3, repetitions);
  }

  private static double ratio(double[] theirs, double[] ours) {
    return BenchCase.median(theirs) / BenchCase.median(ours);
  }

  private void rival(
      List<BenchCase> cases, String name, double[] ours, Path program, List<String> command)
      throws IOException, InterruptedException {
    if (!Files.exists(program)) {
      say.say(String.format(Locale.ROOT, "  no %s: build it by benchmarks/rivals/build", program));
      return;
    }
    double[] theirs = millisOf(command);
    cases.add(BenchCase.spread("trie-insert-" + name, "ms", theirs));
    cases.add(BenchCase.figure("trie-insert-" + name + "-ratio", ratio(theirs, ours), "x"));
  }

  private double[] millisOf(List<String> command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<Double> millis = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        millis.add(JsonMapper.builder().build().readTree(line).get("seconds").doubleValue() * 1000);
      }
    }
    if (process.waitFor() != 0 || millis.isEmpty()) {
      throw new IOException(command.getFirst() + " ended with " + process.exitValue());
    }
    double[] array = millis.stream().mapToDouble(Double::doubleValue).toArray();
    say.say(
        String.format(Locale.ROOT, "  %s: %.0f ms", command.getFirst(), BenchCase.median(array)));
    return array;
  }

  private double[] millis(int count) throws Exception {
    Path folder = Files.createDirectories(home.resolve("insert-" + count));
    try (Disk disk = LocalDisk.open(folder);
        MetaStore meta = RocksMetaStore.open(folder.resolve("meta"));
        Workers workers = new Workers(count, "bench");
        PatriciaStore store =
            PatriciaStore.restore(
                disk, meta, workers, BatchHasher.cpu(), SlotLimits.DEFAULT, Integer.MAX_VALUE)) {
      PatriciaTrie trie = store.trie(STRAND);
      SplittableRandom random = new SplittableRandom(1);
      long next = 0;
      trie.apply(batch(next, BASE, random));
      next += BASE;
      double[] millis = new double[repetitions];
      for (int run = -WARM_UPS; run < repetitions; run++) {
        TrieBatch batch = batch(next, BATCH, random);
        next += BATCH;
        System.gc();
        long started = System.nanoTime();
        trie.apply(batch);
        if (run >= 0) {
          millis[run] = (System.nanoTime() - started) / 1e6;
        }
      }
      say.say(String.format(Locale.ROOT, "  %d workers: %.0f ms", count, BenchCase.median(millis)));
      return millis;
    }
  }

  /// Keys are the Keccak-256 of their numbers, as those of clues are of their ids.
  private static TrieBatch batch(long first, int count, SplittableRandom random) {
    TrieBatch batch = new TrieBatch(count);
    for (long number = first; number < first + count; number++) {
      batch.put(key(number), 0, value(random));
    }
    return batch;
  }

  private static byte[] key(long number) {
    byte[] name = ByteBuffer.allocate(16).putLong(1).putLong(number).array();
    return Keccak256.hash(name).toArray();
  }

  private static byte[] value(SplittableRandom random) {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    return value;
  }

  private List<BenchCase> space() throws Exception {
    List<BenchCase> cases = new ArrayList<>();
    for (int perBlock : new int[] {1, 10, 1000}) {
      // A block of one costs a root each: a hundredth of the updates shows as much.
      cases.addAll(space(perBlock, perBlock == 1000 ? SPACE_UPDATES : SPACE_UPDATES / 20));
    }
    return cases;
  }

  private List<BenchCase> space(int perBlock, int updates) throws Exception {
    Path folder = Files.createDirectories(home.resolve("space-" + perBlock));
    try (Disk disk = LocalDisk.open(folder);
        MetaStore meta = RocksMetaStore.open(folder.resolve("meta"));
        Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "bench");
        PatriciaStore store =
            PatriciaStore.restore(
                disk, meta, workers, BatchHasher.cpu(), SlotLimits.DEFAULT, 1 << 18)) {
      PatriciaTrie trie = store.trie(STRAND);
      SplittableRandom random = new SplittableRandom(2);
      int unsaved = 0;
      for (int done = 0; done < updates; done += perBlock) {
        TrieBatch batch = new TrieBatch(perBlock);
        random
            .ints(0, SPACE_CLUES)
            .distinct()
            .limit(perBlock)
            .forEach(clue -> batch.put(key(clue), 0, value(random)));
        trie.apply(batch);
        unsaved += perBlock;
        if (unsaved >= SAVEPOINT_UPDATES || done + perBlock >= updates) {
          MetaBatch rows = new MetaBatch();
          trie.savepoint(rows);
          store.savepoint(rows);
          meta.write(rows);
          unsaved = 0;
        }
      }
      long written = store.slots().writtenBytes();
      double ratio = (double) store.slots().fileBytes() / store.slots().liveBytes();
      String name = "trie-space-" + perBlock + "-a-block";
      say.say(
          String.format(
              Locale.ROOT,
              "  %d a block: file %,d MB, in use %,d MB",
              perBlock,
              store.slots().fileBytes() >> 20,
              store.slots().liveBytes() >> 20));
      return List.of(
          BenchCase.figure(name, ratio, "x of what is in use"),
          BenchCase.figure(name + "-written", (double) written / updates, "bytes/journal"));
    }
  }
}

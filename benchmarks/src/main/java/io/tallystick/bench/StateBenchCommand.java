package io.tallystick.bench;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.BenchReport;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.bench.service.BetweenBench;
import io.tallystick.bench.service.StateServiceBench;
import io.tallystick.bench.state.StateBench;
import io.tallystick.bench.state.StateSizes;
import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Measures what a provable state costs.
@Command(
    name = "state",
    description = {
      "Measure the state: puts, gets, ranges, versions, proofs and space, beside RocksDB and a "
          + "Merkle tree.",
      "Without a service: put, get (beside the rivals and the limit), batch (updates and gets by "
          + "the size of batches and values), range, history (gets 10 to 40 saved versions back), "
          + "space (of all files), prune (updates while versions are dropped), rollback (1 to 40 "
          + "versions), growth (20 times the keys, the cache the same part of the index), proof "
          + "(length and verification), trickle (blocks of one put).",
      "Through a service: between (a block 100,000 puts above a saved version, of n keys), service "
          + "(journals with one put each beside journals without, appended and audited).",
      "All have what a service without settings has. A figure that departs from it says so, and "
          + "each says how large the cache is beside the index."
    },
    mixinStandardHelpOptions = true)
final class StateBenchCommand implements Callable<Integer> {
  private static final int FULL_KEYS = 1_000_000;
  private static final int BATCHES_MIN = 40;

  /// A commit frame has at most 16 MiB; a put takes so much of it beside a value of 100 bytes or
  /// more.
  private static final long BATCH_BYTES_MAX = 15L << 20;

  private static final int PUT_BYTES = 256;
  private static final int PUTS_MAX = 100_000_000;
  private static final int GETS_MAX = 100_000_000;
  private static final int MEMORY_MEGABYTES_MAX = 1 << 20;
  private static final List<String> ALL_CASES =
      Stream.concat(
              StateBench.CASES.stream(), Stream.of(BetweenBench.BETWEEN, StateServiceBench.SERVICE))
          .toList();

  @Mixin private Output output = new Output();
  @Mixin private RepeatOptions measuring = new RepeatOptions();

  @Parameters(
      paramLabel = "CASE",
      arity = "0..*",
      description = "Measure only these cases. Default: all")
  private List<String> cases = ALL_CASES;

  @Option(
      names = {"-n", "--keys"},
      paramLabel = "N",
      defaultValue = "20000",
      description =
          "How many keys there are; every size follows from it. Default: ${DEFAULT-VALUE}")
  private int keys;

  @Option(
      names = "--full",
      description =
          "The sizes that the design names: 1,000,000 keys. Takes an hour and more, and a large "
              + "heap (TALLY_XMX)")
  private boolean full;

  @Option(
      names = "--value-bytes",
      paramLabel = "N",
      defaultValue = "1024",
      description =
          "How long the values of put, get, range and space are. Default: ${DEFAULT-VALUE}")
  private int valueBytes;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description =
          "Puts of a block. Default: a fortieth of the keys, at most as many as a service takes "
              + "into one")
  private @Nullable Integer batch;

  @Option(
      names = "--gets",
      paramLabel = "N",
      defaultValue = "200000",
      description = "Gets of each measurement. Default: ${DEFAULT-VALUE}")
  private int gets;

  @Option(
      names = "--memory",
      paramLabel = "MB",
      description =
          "Cache of nodes, and block cache of each rival. Default: as a service without settings "
              + "has it")
  private @Nullable Integer memoryMegabytes;

  @Option(
      names = "--puts",
      paramLabel = "N",
      defaultValue = "300000",
      description =
          "Journals of each measurement of the case service; between has 100,000 at most. Default: "
              + "${DEFAULT-VALUE}")
  private int puts;

  @Option(
      names = "--service-keys",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Keys of the large ledger of the case service. Default: ${DEFAULT-VALUE}")
  private int serviceKeys;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "5",
      description = "The seed of keys and values. Default: ${DEFAULT-VALUE}")
  private long seed;

  @Override
  public Integer call() throws Exception {
    ChosenCases.check(cases, ALL_CASES);
    measuring.check();
    StateSizes sizes = sizes();
    try (TemporaryFolder home = measuring.home()) {
      List<BenchCase> measured =
          new ArrayList<>(new StateBench(home.path(), sizes, output::say).run(cases));
      measured.addAll(throughServices(home.path()));
      BenchReport report =
          new BenchReport(
              "state", ThisMachine.describe(), ThisMachine.commit(Bench.root()), measured);
      output.print(Bench.text(report), Bench.asMap(report));
    }
    return ExitCode.OK;
  }

  private List<BenchCase> throughServices(Path home) throws Exception {
    List<BenchCase> measured = new ArrayList<>();
    if (cases.contains(BetweenBench.BETWEEN)) {
      output.say("measuring between ...");
      int between = Math.min(BetweenBench.PUTS, puts);
      measured.addAll(
          new BetweenBench(home, keys(), between, measuring.repetitions(), output::say).measure());
    }
    if (cases.contains(StateServiceBench.SERVICE)) {
      output.say("measuring service ...");
      measured.addAll(
          new StateServiceBench(
                  home,
                  puts,
                  serviceKeys,
                  measuring.warmUpSeconds(),
                  measuring.repetitions(),
                  output::say)
              .measure());
    }
    return measured;
  }

  private int keys() {
    return full ? FULL_KEYS : keys;
  }

  private long memoryBytes() {
    return memoryMegabytes == null ? StateSizes.shippedMemoryBytes() : (long) memoryMegabytes << 20;
  }

  private StateSizes sizes() throws UsageException {
    int count = keys();
    if (count < StateSizes.KEYS_MIN || count > StateSizes.KEYS_MAX) {
      throw new UsageException(
          String.format(
              Locale.ROOT, "--keys is %d to %d", StateSizes.KEYS_MIN, StateSizes.KEYS_MAX));
    }
    if (valueBytes < StateSizes.VALUE_BYTES_MIN || valueBytes > StateSizes.VALUE_BYTES_MAX) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "--value-bytes is %d to %d",
              StateSizes.VALUE_BYTES_MIN,
              StateSizes.VALUE_BYTES_MAX));
    }
    int blockMax = StateSizes.shippedBlockBytes() / (PUT_BYTES + valueBytes);
    int block = batch != null ? batch : Math.clamp(count / BATCHES_MIN, 1, Math.max(1, blockMax));
    if (block < 1 || block > count) {
      throw new UsageException("--batch is 1 to the number of keys");
    }
    if (block * (long) (PUT_BYTES + valueBytes) > BATCH_BYTES_MAX) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "a batch of %d values of %d bytes is too large for a frame",
              block,
              valueBytes));
    }
    checkCounts();
    return new StateSizes(
        count, valueBytes, block, gets, memoryBytes(), measuring.repetitions(), seed);
  }

  private void checkCounts() throws UsageException {
    int megabytes = memoryMegabytes == null ? 1 : memoryMegabytes;
    if (gets < 2 || gets > GETS_MAX || megabytes < 1 || megabytes > MEMORY_MEGABYTES_MAX) {
      throw new UsageException(
          String.format(
              Locale.ROOT, "--gets is 2 to %d, --memory 1 to %d", GETS_MAX, MEMORY_MEGABYTES_MAX));
    }
    if (puts < 1 || puts > PUTS_MAX || serviceKeys < 1 || serviceKeys > PUTS_MAX) {
      throw new UsageException(
          String.format(Locale.ROOT, "--puts and --service-keys are 1 to %d", PUTS_MAX));
    }
  }
}

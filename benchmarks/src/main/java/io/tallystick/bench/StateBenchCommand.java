package io.tallystick.bench;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.BenchReport;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.bench.service.StateServiceBench;
import io.tallystick.bench.state.StateBench;
import io.tallystick.bench.state.StateSizes;
import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
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
      "Measure the state: puts, gets, proofs and space, beside RocksDB and a Merkle tree.",
      "Without a service: put, get (beside the rivals and the limit), growth (20 times the keys "
          + "beside 2 times), space (of the index), history (40 blocks back, and pruning), proof "
          + "(length and verification), trickle (blocks of one put).",
      "Through a service: journals with one put each beside journals without, appended and "
          + "audited (service)."
    },
    mixinStandardHelpOptions = true)
final class StateBenchCommand implements Callable<Integer> {
  private static final int FULL_KEYS = 1_000_000;
  private static final int BATCH_MAX = 5_000;
  private static final int BATCHES_MIN = 40;

  /// A commit frame has at most 16 MiB; a put takes so much of it beside a value of 100 bytes or
  /// more.
  private static final long BATCH_BYTES_MAX = 15L << 20;

  private static final int PUT_BYTES = 256;
  private static final int GETS_MAX = 100_000_000;
  private static final int MEMORY_MEGABYTES_MAX = 1 << 20;
  private static final List<String> ALL_CASES =
      Stream.concat(StateBench.CASES.stream(), Stream.of(StateServiceBench.SERVICE)).toList();

  @Mixin private Output output = new Output();
  @Mixin private MeasuringOptions measuring = new MeasuringOptions();

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
      description = "How long the values of put and get are. Default: ${DEFAULT-VALUE}")
  private int valueBytes;

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "Puts of a block. Default: a fortieth of the keys, at most 5000")
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
      defaultValue = "256",
      description = "Block cache of each rival. Default: ${DEFAULT-VALUE}")
  private int memoryMegabytes;

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
      if (cases.contains(StateServiceBench.SERVICE)) {
        output.say("measuring service ...");
        measured.addAll(
            new StateServiceBench(
                    home.path(),
                    measuring.seconds(),
                    measuring.warmUpSeconds(),
                    measuring.repetitions(),
                    output::say)
                .measure());
      }
      BenchReport report =
          new BenchReport(
              "state", ThisMachine.describe(), ThisMachine.commit(Bench.root()), measured);
      output.print(Bench.text(report), Bench.asMap(report));
    }
    return ExitCode.OK;
  }

  private StateSizes sizes() throws UsageException {
    int count = full ? FULL_KEYS : keys;
    if (count < StateSizes.KEYS_MIN || count > StateSizes.KEYS_MAX) {
      throw new UsageException(
          String.format(
              Locale.ROOT, "--keys is %d to %d", StateSizes.KEYS_MIN, StateSizes.KEYS_MAX));
    }
    int block = batch != null ? batch : Math.max(1, Math.min(BATCH_MAX, count / BATCHES_MIN));
    if (block < 1 || block > count) {
      throw new UsageException("--batch is 1 to the number of keys");
    }
    if (valueBytes < StateSizes.VALUE_BYTES_MIN || valueBytes > StateSizes.VALUE_BYTES_MAX) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "--value-bytes is %d to %d",
              StateSizes.VALUE_BYTES_MIN,
              StateSizes.VALUE_BYTES_MAX));
    }
    if (block * (long) (PUT_BYTES + valueBytes) > BATCH_BYTES_MAX) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "a batch of %d values of %d bytes is too large for a frame",
              block,
              valueBytes));
    }
    if (gets < 2
        || gets > GETS_MAX
        || memoryMegabytes < 1
        || memoryMegabytes > MEMORY_MEGABYTES_MAX) {
      throw new UsageException(
          String.format(
              Locale.ROOT, "--gets is 2 to %d, --memory 1 to %d", GETS_MAX, MEMORY_MEGABYTES_MAX));
    }
    return new StateSizes(
        count,
        valueBytes,
        block,
        gets,
        (long) memoryMegabytes << 20,
        measuring.repetitions(),
        seed);
  }
}

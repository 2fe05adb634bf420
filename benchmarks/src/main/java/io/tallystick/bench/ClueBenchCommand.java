package io.tallystick.bench;

import io.tallystick.bench.clue.ClueBench;
import io.tallystick.bench.clue.TrieBench;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.BenchReport;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.bench.service.ClueServiceBench;
import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Measures what clues cost.
@Command(
    name = "clue",
    description = {
      "Measure clue index, clue trie and lineages, beside RocksDB and other tries.",
      "The clue index beside RocksDB, with no service: entries inserted 1,000 at a time "
          + "by all processors (csl-insert), and the newest entry not above a jsn found by one "
          + "thread (csl-get).",
      "The clue trie beside go-ethereum's and Tuweni's (trie-insert), and its file "
          + "(trie-space).",
      "Through a service: journals with a clue each beside journals without (append), and "
          + "a complete lineage of 10,000 (lineage)."
    },
    mixinStandardHelpOptions = true)
final class ClueBenchCommand implements Callable<Integer> {
  private static final int ENTRIES_MAX = 1_000_000_000;
  private static final double EXPONENT_MAX = 10;
  private static final List<String> ALL_CASES =
      Stream.of(ClueBench.CASES, TrieBench.CASES, ClueServiceBench.CASES)
          .flatMap(List::stream)
          .toList();

  @Mixin private Output output = new Output();
  @Mixin private MeasuringOptions measuring = new MeasuringOptions();
  @Mixin private ChosenCases chosen = new ChosenCases();

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "10000000",
      description = "How many entries there are. Default: ${DEFAULT-VALUE}")
  private int entries;

  @Option(
      names = "--clues",
      paramLabel = "N",
      defaultValue = "100000",
      description = "How many clues there are. Default: ${DEFAULT-VALUE}")
  private int clues;

  @Option(
      names = "--zipf",
      paramLabel = "S",
      description =
          "The exponent of Zipf's law by which clues are drawn, 0 for uniformly; repeat the "
              + "option for more. Default: 0 and 0.99")
  private List<Double> exponents = List.of(0.0, 0.99);

  @Option(
      names = "--savepoint-entries",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "A savepoint of the clue index is taken after so many entries. Default: after ten "
              + "seconds, or when the heads in memory need one")
  private int savepointEntries;

  @Option(
      names = "--rivals",
      paramLabel = "DIR",
      defaultValue = "benchmarks/rivals/target",
      description =
          "The folder into which benchmarks/rivals/build put the rivals. Default: "
              + "${DEFAULT-VALUE}")
  private Path rivals = Path.of("");

  @Override
  public Integer call() throws Exception {
    List<String> cases = chosen.of(ALL_CASES);
    if (entries < 1 || entries > ENTRIES_MAX || clues < 1 || clues > ENTRIES_MAX) {
      throw new UsageException("--entries and --clues are 1 to " + ENTRIES_MAX);
    }
    measuring.check();
    if (savepointEntries < 0) {
      throw new UsageException("--savepoint-entries is 0 or more");
    }
    if (exponents.stream().anyMatch(exponent -> !(exponent >= 0 && exponent <= EXPONENT_MAX))) {
      throw new UsageException("--zipf is 0 to " + EXPONENT_MAX);
    }
    try (TemporaryFolder home = measuring.home()) {
      ClueBench.Settings settings =
          new ClueBench.Settings(
              entries, clues, exponents, savepointEntries, measuring.repetitions());
      BenchReport report = run(home.path(), settings, cases);
      output.print(Bench.text(report), Bench.asMap(report));
    }
    return ExitCode.OK;
  }

  private BenchReport run(Path home, ClueBench.Settings settings, List<String> cases)
      throws Exception {
    List<String> lists = cases.stream().filter(ClueBench.CASES::contains).toList();
    List<BenchCase> measured = new ArrayList<>();
    if (!lists.isEmpty()) {
      measured.addAll(new ClueBench(home, settings, output::say).run(lists));
    }
    TrieBench tries = new TrieBench(home, rivals, measuring.repetitions(), output::say);
    ClueServiceBench service =
        new ClueServiceBench(
            home,
            measuring.seconds(),
            measuring.warmUpSeconds(),
            measuring.repetitions(),
            output::say);
    for (String name : cases) {
      if (TrieBench.CASES.contains(name)) {
        measured.addAll(tries.measure(name));
      } else if (ClueServiceBench.CASES.contains(name)) {
        measured.addAll(service.measure(name));
      }
    }
    return new BenchReport(
        "clue", ThisMachine.describe(), ThisMachine.commit(Bench.root()), measured);
  }
}

package io.tallystick.bench;

import io.tallystick.bench.figure.BenchReport;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.bench.removal.RemovalBench;
import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Measures what removals cost.
@Command(
    name = "removal",
    description = {
      "Measure what removals cost, and appends and audits beside them.",
      "appends: appends while snapshots are made and purges erased beside appends alone. purge: "
          + "bytes erased beside a sequential write. occult: one journal, from the commit until "
          + "it is erased, beside one forced page. audit: an audit of a log with 1 % occulted "
          + "beside one without."
    },
    mixinStandardHelpOptions = true)
final class RemovalBenchCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();
  @Mixin private MeasuringOptions measuring = new MeasuringOptions();

  @Option(
      names = "--case",
      paramLabel = "NAME",
      description = "Measure only this case; repeat the option for more")
  private List<String> cases = RemovalBench.CASES;

  @Override
  public Integer call() throws Exception {
    for (String name : cases) {
      if (!RemovalBench.CASES.contains(name)) {
        throw new UsageException("no case %s; there are %s".formatted(name, RemovalBench.CASES));
      }
    }
    measuring.check();
    try (TemporaryFolder home = measuring.home()) {
      RemovalBench bench =
          new RemovalBench(
              home.path(),
              measuring.seconds(),
              measuring.warmUpSeconds(),
              measuring.repetitions(),
              output::say);
      BenchReport report =
          new BenchReport(
              "removal",
              ThisMachine.describe(),
              ThisMachine.commit(Bench.root()),
              bench.run(cases));
      output.print(Bench.text(report), Bench.asMap(report));
    }
    return ExitCode.OK;
  }
}

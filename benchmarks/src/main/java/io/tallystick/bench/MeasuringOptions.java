package io.tallystick.bench;

import io.tallystick.bench.figure.BenchReport;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.figure.MeasuredCases;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Options of commands that measure with and without a service: how often, how long, and where.
final class MeasuringOptions {
  @Mixin private RepeatOptions repeat = new RepeatOptions();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "5",
      description = "How long each measurement through a service takes. Default: ${DEFAULT-VALUE}")
  private double seconds;

  void check() throws UsageException {
    Bench.checkTimes(seconds, warmUpSeconds(), repetitions());
  }

  int repetitions() {
    return repeat.repetitions();
  }

  double seconds() {
    return seconds;
  }

  double warmUpSeconds() {
    return repeat.warmUpSeconds();
  }

  /// An empty folder for data, deleted when it is closed.
  TemporaryFolder home() throws IOException {
    return repeat.home();
  }

  /// Measures cases and prints the report.
  ///
  /// @param bench the benchmark's name in the report
  /// @throws UsageException a name or an option out of its range
  void run(String bench, MeasuredCases cases, ChosenCases chosen, Output output) throws Exception {
    List<String> names = chosen.of(cases.names());
    check();
    try (TemporaryFolder home = home()) {
      MeasuredCase.Run run =
          new MeasuredCase.Run(home.path(), seconds, warmUpSeconds(), repetitions(), output::say);
      BenchReport report =
          new BenchReport(
              bench,
              ThisMachine.describe(),
              ThisMachine.commit(Bench.root()),
              cases.run(names, run));
      output.print(Bench.text(report), Bench.asMap(report));
    }
  }
}

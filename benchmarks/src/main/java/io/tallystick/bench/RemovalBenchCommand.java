package io.tallystick.bench;

import io.tallystick.bench.removal.RemovalBench;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// Measures what removals cost.
@Command(
    name = "removal",
    description = {
      "Measure what removals cost, and appends and audits beside them.",
      "appends: appends while snapshots are made and purges erased beside appends alone. purge: "
          + "bytes erased beside a sequential write. occult: one journal, from the commit until "
          + "it is erased, beside one forced page. audit: an audit of a log with one journal in "
          + "100 occulted beside one without."
    },
    mixinStandardHelpOptions = true)
final class RemovalBenchCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();
  @Mixin private MeasuringOptions measuring = new MeasuringOptions();
  @Mixin private ChosenCases chosen = new ChosenCases();

  @Override
  public Integer call() throws Exception {
    measuring.run("removal", RemovalBench.CASES, chosen, output);
    return ExitCode.OK;
  }
}

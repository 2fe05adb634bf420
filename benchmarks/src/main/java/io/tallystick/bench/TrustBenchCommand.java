package io.tallystick.bench;

import io.tallystick.bench.trust.TrustBench;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// Measures what trusted time costs.
@Command(
    name = "trust",
    description = {
      "Measure what tokens, a T-Ledger and their audits cost.",
      "tokens: appends with a token every second beside appends without. t-ledger: heads that a "
          + "T-Ledger takes beside Ed25519 verifications. audit: an audit with windows and grants "
          + "beside one without. replay: an audit from 99 % of a log beside one from genesis."
    },
    mixinStandardHelpOptions = true)
final class TrustBenchCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();
  @Mixin private MeasuringOptions measuring = new MeasuringOptions();
  @Mixin private ChosenCases chosen = new ChosenCases();

  @Override
  public Integer call() throws Exception {
    measuring.run("trust", TrustBench.CASES, chosen, output);
    return ExitCode.OK;
  }
}

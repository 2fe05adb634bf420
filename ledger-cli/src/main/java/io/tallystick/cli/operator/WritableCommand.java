package io.tallystick.cli.operator;

import io.tallystick.cli.option.ServiceOptions;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.model.LedgerId;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Lets a ledger take appends again that witnesses have made read-only.
@Command(
    name = "writable",
    description = {
      "Let a ledger take appends again that a witness has made read-only.",
      "Only if that witness lied: else the log forks. A witness that is still asked makes the ledger "
          + "read-only again."
    },
    mixinStandardHelpOptions = true)
public final class WritableCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./data}",
      description =
          "The data directory of the running service (environment: TALLY_DATA). Default: "
              + "${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Parameters(paramLabel = "LEDGER", description = "The id of the ledger")
  private String ledger = "";

  @Override
  public Integer call() throws Exception {
    LedgerId id = ServiceOptions.ledgerId(ledger);
    boolean wasReadOnly = AskedOperator.ask(data, operator -> operator.makeWritable(id));
    output.print(
        wasReadOnly ? "It takes appends again." : "It was not read-only.",
        Output.object("ledger", id.toString(), "wasReadOnly", wasReadOnly));
    return ExitCode.OK;
  }
}

package io.tallystick.cli;

import io.tallystick.cli.terminal.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Describes the commands, or one of them, as `--help` does.
@Command(
    name = "help",
    description = "List the commands, or describe one.",
    mixinStandardHelpOptions = true)
final class HelpCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The command to describe")
  private List<String> names = new ArrayList<>();

  @Override
  public Integer call() {
    CommandLine described = spec.parent().commandLine();
    for (String name : names) {
      CommandLine below = described.getSubcommands().get(name);
      if (below == null) {
        throw new ParameterException(
            described, String.format(Locale.ROOT, "there is no command '%s'", name));
      }
      described = below;
    }
    described.usage(spec.commandLine().getOut());
    return ExitCode.OK;
  }
}

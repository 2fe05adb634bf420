package io.tallystick.bench;

import io.tallystick.bench.figure.MeasuredCases;
import io.tallystick.bench.operate.OperateBench;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Measures what operating costs.
@Command(
    name = "operate",
    description = {
      "Measure appends beside backups, a restore, and the service in its container.",
      "backup: appends while backups are made beside appends alone. restore: a restore beside the "
          + "replay that it contains. container, only with --image: appends and the start beside "
          + "those of a service outside."
    },
    mixinStandardHelpOptions = true)
final class OperateBenchCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();
  @Mixin private MeasuringOptions measuring = new MeasuringOptions();
  @Mixin private ChosenCases chosen = new ChosenCases();

  @Option(
      names = "--image",
      paramLabel = "IMAGE",
      description = "The image that `docker` has, such as tallystick:VERSION. Default: none")
  private @Nullable String image;

  @Override
  public Integer call() throws Exception {
    MeasuredCases cases = OperateBench.cases(image);
    measuring.run("operate", cases, chosen, output);
    return ExitCode.OK;
  }
}

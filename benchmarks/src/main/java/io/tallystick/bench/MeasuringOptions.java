package io.tallystick.bench;

import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Options of commands that measure with and without a service: how often, how long, and where.
final class MeasuringOptions {
  @Option(
      names = "--repeat",
      paramLabel = "TIMES",
      defaultValue = "3",
      description =
          "How many times each case is measured; medians are reported. Default: "
              + "${DEFAULT-VALUE}")
  private int repetitions;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "5",
      description = "How long each measurement through a service takes. Default: ${DEFAULT-VALUE}")
  private double seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "S",
      defaultValue = "20",
      description = "How long the warm-up before them is. Default: ${DEFAULT-VALUE}")
  private double warmUpSeconds;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "The folder for data meanwhile. Default: the temporary folder")
  private @Nullable Path directory;

  void check() throws UsageException {
    Bench.checkTimes(seconds, warmUpSeconds, repetitions);
  }

  int repetitions() {
    return repetitions;
  }

  double seconds() {
    return seconds;
  }

  double warmUpSeconds() {
    return warmUpSeconds;
  }

  /// An empty folder for data, deleted when it is closed.
  TemporaryFolder home() throws IOException {
    return TemporaryFolder.create(directory, "tally-bench-");
  }
}

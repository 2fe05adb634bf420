package io.tallystick.bench;

import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Options of commands that measure what has a size: how often, after how long a warm-up, and
/// where.
final class RepeatOptions {
  /// For {@link Bench#checkTimes}, where no measurement takes a given time.
  private static final double NO_SECONDS = 1;

  @Option(
      names = "--repeat",
      paramLabel = "TIMES",
      defaultValue = "3",
      description =
          "How many times each case is measured; medians are reported. Default: "
              + "${DEFAULT-VALUE}")
  private int repetitions;

  @Option(
      names = "--warm-up",
      paramLabel = "S",
      defaultValue = "20",
      description =
          "How long the warm-up before measurements through a service is. Default: "
              + "${DEFAULT-VALUE}")
  private double warmUpSeconds;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "The folder for data meanwhile. Default: the temporary folder")
  private @Nullable Path directory;

  void check() throws UsageException {
    Bench.checkTimes(NO_SECONDS, warmUpSeconds, repetitions);
  }

  int repetitions() {
    return repetitions;
  }

  double warmUpSeconds() {
    return warmUpSeconds;
  }

  /// An empty folder for data, deleted when it is closed.
  TemporaryFolder home() throws IOException {
    return TemporaryFolder.create(directory, "tally-bench-");
  }
}

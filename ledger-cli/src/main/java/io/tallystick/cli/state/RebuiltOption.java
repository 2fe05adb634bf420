package io.tallystick.cli.state;

import io.tallystick.cli.option.ReadOptions;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The folder of a state that was made offline, of a command that can read it instead of a service.
final class RebuiltOption {
  private static final String NAME = "--rebuilt";

  @Option(
      names = NAME,
      paramLabel = "DIR",
      description =
          "Read the state that `tally rebuild --as-of` made in this folder, and ask no service. The "
              + "service's keys come from the trust directory")
  private @Nullable Path folder;

  boolean isGiven() {
    return folder != null;
  }

  /// @param height given with `--as-of`
  /// @param time given with `--at-time`
  RebuiltReads open(
      ReadOptions read,
      Output output,
      String ledgerId,
      @Nullable Long height,
      @Nullable Instant time)
      throws Exception {
    if (folder == null) {
      throw new IllegalStateException("no folder was given");
    }
    if (time != null) {
      throw new UsageException("--at-time and --rebuilt: give one of them");
    }
    read.checkNoAge(NAME);
    return RebuiltReads.open(read.service(), output, ledgerId, folder, height);
  }
}

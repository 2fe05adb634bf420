package io.tallystick.cli.option;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.hashing.GpuMode;
import picocli.CommandLine.Option;

/// The option that says whether a command hashes on a GPU.
public final class GpuOptions {
  @Option(
      names = "--gpu",
      paramLabel = "WHEN",
      defaultValue = "${env:TALLY_GPU:-auto}",
      description =
          "Whether to hash in bulk on a CUDA device: auto, if there is one that works; off; or"
              + " require, not to run without one (environment: TALLY_GPU). Default:"
              + " ${DEFAULT-VALUE}")
  private String gpu = "";

  public GpuMode mode() throws UsageException {
    return switch (gpu) {
      case "auto" -> GpuMode.AUTO;
      case "off" -> GpuMode.OFF;
      case "require" -> GpuMode.REQUIRE;
      default -> throw new UsageException("--gpu is auto, off or require, not " + gpu);
    };
  }
}

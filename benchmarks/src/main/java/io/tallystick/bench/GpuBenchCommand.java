package io.tallystick.bench;

import io.tallystick.bench.figure.MeasuredCases;
import io.tallystick.bench.gpu.GpuBench;
import io.tallystick.bench.gpu.GpuSizes;
import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.gpu.DeviceFullException;
import io.tallystick.gpu.DeviceUnavailableException;
import io.tallystick.gpu.Gpu;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.GpuMode;
import io.tallystick.hashing.Support;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Measures what a device gains.
@Command(
    name = "gpu",
    description = {
      "Measure hashing on a CUDA device beside all cores of the CPU.",
      "sha256-64-kernel: what the device's integer units do, beside what they could. "
          + "sha256-64-end-to-end: from pinned memory to the heap. root: all nodes of a tree. "
          + "trie-insert: keys into an empty clue trie. break-even: how many messages a call needs.",
      "Without a device it ends with a message. gpu-native/device/bundle makes an archive that "
          + "runs these on a machine without Java."
    },
    mixinStandardHelpOptions = true)
final class GpuBenchCommand implements Callable<Integer> {
  @Mixin private Output output = new Output();
  @Mixin private MeasuringOptions measuring = new MeasuringOptions();
  @Mixin private ChosenCases chosen = new ChosenCases();

  @Option(
      names = "--share",
      paramLabel = "SHARE",
      defaultValue = "1",
      description = "Of the full sizes, above 0 and at most 1. Default: ${DEFAULT-VALUE}")
  private double share;

  @Override
  public Integer call() throws Exception {
    if (!(share > 0 && share <= 1)) {
      throw new UsageException("--share is above 0 and at most 1");
    }
    try (TemporaryFolder natives = TemporaryFolder.create("tally-natives");
        Gpu gpu = Gpu.open(GpuMode.REQUIRE, natives.path(), lost -> output.say(lost.toString()))) {
      MeasuredCases cases = GpuBench.cases(gpu, GpuSizes.of(share));
      output.say(String.valueOf(gpu.properties().orElseThrow()));
      measuring.run("gpu", cases, chosen, output);
      if (gpu.support() instanceof Support.Unsupported(String why)) {
        output.err().println("tally: " + why);
        return ExitCode.UNAVAILABLE;
      }
      return ExitCode.OK;
    } catch (DeviceUnavailableException
        | DeviceLostException
        | DeviceFullException
        | IllegalStateException e) {
      output.err().println("tally: nothing is measured: " + e.getMessage());
      return ExitCode.UNAVAILABLE;
    }
  }
}

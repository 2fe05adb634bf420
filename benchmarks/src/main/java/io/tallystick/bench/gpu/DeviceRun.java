package io.tallystick.bench.gpu;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.BenchReport;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.figure.MeasuredCases;
import io.tallystick.bench.figure.ThisMachine;
import io.tallystick.gpu.DeviceProperties;
import io.tallystick.gpu.Gpu;
import io.tallystick.hashing.GpuMode;
import io.tallystick.hashing.Support;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// Measures every case on this machine's device, with neither Maven nor the `tally` script:
/// `DeviceRun FILE COMMIT SHARE`. The report is written to FILE as JSON. SHARE of the full sizes is
/// above 0, and 1 for figures that are published. It fails if there is no device, if one fails
/// meanwhile, and where a digest differs from the CPU's.
public final class DeviceRun {
  private static final int REPETITIONS = 5;

  private DeviceRun() {}

  /// What ran where.
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Report(DeviceProperties device, BenchReport report) {}

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]);
    GpuSizes sizes = GpuSizes.of(Double.parseDouble(arguments[2]));
    Path natives = Files.createTempDirectory("tallystick-natives");
    Path home = Files.createTempDirectory("tallystick-bench");
    try (Gpu gpu = Gpu.open(GpuMode.REQUIRE, natives, lost -> System.err.println(lost))) {
      DeviceProperties device = gpu.properties().orElseThrow();
      System.err.println(device);
      MeasuredCases cases = GpuBench.cases(gpu, sizes);
      List<BenchCase> measured =
          cases.run(
              cases.names(), new MeasuredCase.Run(home, 1, 0, REPETITIONS, System.err::println));
      if (gpu.support() instanceof Support.Unsupported(String why)) {
        throw new IllegalStateException(why);
      }
      BenchReport report = new BenchReport("gpu", ThisMachine.describe(), arguments[1], measured);
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build()
          .writeValue(file.toFile(), new Report(device, report));
    }
  }
}

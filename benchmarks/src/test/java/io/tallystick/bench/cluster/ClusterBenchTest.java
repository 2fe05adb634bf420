package io.tallystick.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.figure.MeasuredCases;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: each case of a cluster measures both of its sides and says what departs from what is
/// shipped. Method: each of them, as short as it goes, against real processes. No figure is judged
/// here.
@Tag("long")
class ClusterBenchTest {
  private static final ClusterSizes SIZES = new ClusterSizes(2_000, "192m");

  private final List<String> said = new ArrayList<>();

  @TempDir private Path home;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void measuresBothSidesOfEachCase() throws Exception {
    MeasuredCases cases = ClusterBench.cases(SIZES);
    List<BenchCase> measured =
        cases.run(cases.names(), new MeasuredCase.Run(home, 0.5, 0.5, 1, said::add));
    assertThat(measured)
        .extracting(BenchCase::name)
        .containsExactly(
            "batch",
            "batch-bare",
            "batch-frame",
            "batch-ratio",
            "singles-p50",
            "singles-bare-p50",
            "singles-ratio",
            "takeover",
            "takeover-restart",
            "takeover-ratio",
            "takeover-cold",
            "takeover-cold-restart",
            "takeover-cold-ratio",
            "shards-4",
            "shards-1",
            "shards-ratio");
    assertThat(measured)
        .allSatisfy(each -> {
          assertThat(each.value()).as(each.name()).isPositive();
          assertThat(each.departs()).startsWith("a heap of 192m");
        });
    assertThat(said).anyMatch(line -> line.contains("processor time per journal"));
  }
}

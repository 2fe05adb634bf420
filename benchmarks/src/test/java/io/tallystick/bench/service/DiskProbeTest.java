package io.tallystick.bench.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.bench.figure.Latencies;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the figures beside a benchmark are those of a disk, and nothing is left behind. Method:
/// the probe on a real folder; times that were made up.
@Timeout(300)
final class DiskProbeTest {
  private static final long MS = 1_000_000;

  @TempDir private Path directory;

  @Test
  void tellsWhatForcedPagesTookAndLeavesNothing() throws Exception {
    Latencies latencies;
    try (DiskProbe probe = DiskProbe.start(directory)) {
      assertThat(directory).isNotEmptyDirectory();
      latencies = probe.stop();
    }
    assertThat(latencies.p50()).isPositive().isLessThanOrEqualTo(latencies.p99());
    assertThat(latencies.p99()).isLessThanOrEqualTo(latencies.longest());
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void endsWhenNobodyAsksWhatItFound() throws Exception {
    DiskProbe probe = DiskProbe.start(directory);
    probe.close();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void wantsADirectory() {
    assertThatThrownBy(() -> DiskProbe.start(directory.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void countsTheHundredthSlowest() {
    Latencies latencies = Latencies.of(LongStream.range(0, 1000).map(i -> (1000 - i) * MS));
    assertThat(latencies).isEqualTo(new Latencies(501, 991, 1000));
    assertThat(Latencies.of(LongStream.of(7 * MS))).isEqualTo(new Latencies(7, 7, 7));
    assertThatThrownBy(() -> Latencies.of(LongStream.empty()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

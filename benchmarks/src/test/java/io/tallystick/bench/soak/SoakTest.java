package io.tallystick.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.testkit.Seeded;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the soak itself works. Method: a short one, with clients killed and restarted and the
/// service killed; no figure is judged. That it would see a loss is {@link SoakCheckTest}'s.
@Tag("long")
class SoakTest {
  @TempDir private Path home;

  @Seeded(runs = 1)
  void aShortSoakLosesAndDoublesNothing(SplittableRandom random) throws Exception {
    SoakPlan plan =
        new SoakPlan(
            Duration.ofSeconds(20),
            20,
            8,
            2,
            100,
            Duration.ofSeconds(2),
            Duration.ofSeconds(4),
            Duration.ofMillis(500),
            Duration.ofSeconds(1),
            3,
            random.nextLong());
    List<String> said = new ArrayList<>();
    SoakBench.Outcome outcome = new SoakBench(home, plan, said::add).run(Path.of(".."));
    assertThat(outcome.faults()).isEmpty();
    Map<String, Double> figures = new HashMap<>();
    for (BenchCase each : outcome.report().cases()) {
      figures.put(each.name(), each.value());
    }
    assertThat(figures)
        .containsKeys(
            "soak-memory-before-the-kill",
            "soak-memory-after-the-kill",
            "soak-descriptors-after-the-kill",
            "soak-threads-after-the-kill");
    assertThat(figures.get("soak-kills-of-clients")).isPositive();
    assertThat(figures.get("soak-restarts-of-clients")).isPositive();
    assertThat(figures.get("soak-acknowledged"))
        .isPositive()
        .isLessThanOrEqualTo(figures.get("soak-found"));
    assertThat(said).anyMatch(line -> line.startsWith("killing the service"));
  }
}

package io.tallystick.server.sim.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Seeds;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// Goal: of servers that share a shard there is one history, whoever is suspected, stopped, killed
/// or cut off at whatever step. Method: see the package; as many seeds as the time allows, of which
/// some are the same in each run.
class ClusterSimulatorTest {
  private static final long FIRST_SEED = 1;
  private static final int SECONDS = 20;
  private static final int FIXED_SEEDS = 20;
  private static final long NANOS = Effort.of(8, 600) * 1_000_000_000L;
  private static final Long GIVEN_SEED = Long.getLong("tallystick.sim.seed");

  @Test
  void thereIsOneHistory() {
    if (GIVEN_SEED != null) {
      System.out.println(ClusterSimulation.run(GIVEN_SEED, SECONDS, Bug.NONE));
      return;
    }
    long started = System.nanoTime();
    ClusterStatistics total = new ClusterStatistics();
    for (long seed = FIRST_SEED; seed < FIRST_SEED + FIXED_SEEDS; seed++) {
      total.add(ClusterSimulation.run(seed, SECONDS, Bug.NONE));
    }
    long drawn = Seeds.of(ClusterSimulatorTest.class.getName(), 1).findFirst().orElseThrow();
    while (System.nanoTime() - started < NANOS) {
      total.add(ClusterSimulation.run(drawn++, SECONDS, Bug.NONE));
    }
    System.out.printf(Locale.ROOT, "cluster simulator: %s%n", total);
    assertThat(total.receipts).isPositive();
    assertThat(total.heads).isPositive();
    assertThat(total.refusals).isPositive();
    assertThat(total.unsure).isPositive();
    assertThat(total.notes).isPositive();
    assertThat(total.takeovers).isGreaterThan(FIXED_SEEDS);
    assertThat(total.endings).isPositive();
    assertThat(total.thirdParties).isPositive();
    assertThat(total.fetched).isPositive();
    assertThat(total.dropped).isPositive();
  }

  @Test
  void aSeedRunsTheSameEachTime() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + 3; seed++) {
      assertThat(ClusterSimulation.run(seed, SECONDS, Bug.NONE).toString())
          .isEqualTo(ClusterSimulation.run(seed, SECONDS, Bug.NONE).toString());
    }
  }
}

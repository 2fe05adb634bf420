package io.tallystick.storage.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.testkit.Seeded;
import java.util.SplittableRandom;

/// Goal: two histories of one stream are impossible, and nothing that was acknowledged is lost.
/// Method: {@link StreamChaos}, many times; what a failure is caused by names its seed.
class StreamChaosTest {
  private static final int RUNS = 25;
  private static final int ACTIONS = 150;

  @Seeded(runs = 3, longRuns = 200)
  void oneHistoryWhateverGoesWrong(SplittableRandom random) throws Exception {
    int taken = 0;
    int acknowledged = 0;
    for (int run = 0; run < RUNS; run++) {
      long seed = random.nextLong();
      StreamChaos chaos = new StreamChaos(seed);
      try {
        chaos.run(ACTIONS);
      } catch (Throwable e) {
        throw new AssertionError("chaos of seed " + seed, e);
      }
      taken += chaos.taken();
      acknowledged += chaos.history().acknowledgedCount();
    }
    assertThat(taken).as("takeovers").isGreaterThan(4 * RUNS);
    assertThat(acknowledged).as("frames").isGreaterThan(8 * RUNS);
  }
}

package io.tallystick.storage.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Goal: two histories of one stream are impossible, and nothing that was acknowledged is lost.
/// Method: {@link StreamChaos} over many seeds; the message names the seed that fails.
class StreamChaosTest {
  private static final int RUNS = 300;
  private static final int ACTIONS = 150;

  @Test
  void oneHistoryWhateverGoesWrong() throws Exception {
    int taken = 0;
    int acknowledged = 0;
    for (long seed = 0; seed < RUNS; seed++) {
      StreamChaos chaos = new StreamChaos(seed);
      try {
        chaos.run(ACTIONS);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
      taken += chaos.taken();
      acknowledged += chaos.history().acknowledgedCount();
    }
    assertThat(taken).as("takeovers").isGreaterThan(5 * RUNS);
    assertThat(acknowledged).as("frames").isGreaterThan(20 * RUNS);
  }
}

package io.tallystick.server.sim.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.server.sim.Violation;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: the simulator of several servers finds what it is there for. Method: plant a fault in what
/// the shard stands on; within so many seeds one run must go red.
class ClusterSabotageTest {
  private static final int SEEDS_MAX = 300;
  private static final int SECONDS = 20;

  /// @param first seed: one in which the fault shows comes soon, unless other steps are taken now
  @ParameterizedTest
  @CsvSource({
    "LISTS_WITHOUT_CHECK, 81",
    "SIGNS_BEFORE_CONFIRMATION, 4",
    "NO_LEASE, 36",
    "FUTURE_SIZE_WITHOUT_LEASE, 6",
    "WRITES_FRAME_AGAIN, 43",
    "DELETES_LISTED_LOG, 2",
    "ERASES_PAST_SHIPPED, 6",
    "NOTE_PAST_FRAME, 1",
    "LOSES_COMPARE_AND_SET, 24"
  })
  void findsWhatIsPlanted(Bug bug, long first) {
    Violation found = null;
    long seed = first;
    while (found == null && seed < first + SEEDS_MAX) {
      try {
        var _ = ClusterSimulation.run(seed, SECONDS, bug);
        seed++;
      } catch (Violation e) {
        found = e;
      }
    }
    assertThat(found).as("a run in which %s shows", bug).isNotNull();
    System.out.printf(Locale.ROOT, "%s after %d seeds: %s%n", bug, seed - first + 1, found);
  }
}

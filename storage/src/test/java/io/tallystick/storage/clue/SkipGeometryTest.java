package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Skips are Myers' and lead anywhere in a logarithmic number of steps, in lists of any length.
class SkipGeometryTest {
  private static final int COUNT = 100_000;

  /// His rule, from the two skips before alone.
  @Test
  void skipsAsTheRuleSays() {
    int[] skip = new int[COUNT];
    for (int i = 0; i < COUNT; i++) {
      int previous = i - 1;
      skip[i] = previous;
      if (previous >= 0 && skip[previous] >= 0) {
        int second = skip[previous];
        if (previous - second == second - skip[second]) {
          skip[i] = skip[second];
        }
      }
      assertThat(SkipGeometry.skip(i)).as("entry %d", i).isEqualTo(skip[i]);
    }
  }

  @Test
  void theSpineIsWhereSkipsLead() {
    for (int count = 1; count < COUNT; count++) {
      int steps = 0;
      for (long at = count - 1L; at >= 0; at = SkipGeometry.skip(at)) {
        steps++;
      }
      assertThat(SkipGeometry.treeCount(count)).isEqualTo(steps);
      int bits = Integer.SIZE - Integer.numberOfLeadingZeros(count);
      assertThat(steps).isLessThanOrEqualTo(bits);
      boolean joins = SkipGeometry.skip(count) < count - 1;
      assertThat(SkipGeometry.nextJoins(SkipGeometry.shape(count))).isEqualTo(joins);
      assertThat(SkipGeometry.extended(SkipGeometry.shape(count - 1)))
          .isEqualTo(SkipGeometry.shape(count));
    }
  }

  /// Myers' bound, which some reach.
  @Test
  void everyEntryIsFoundInLogarithmicallyManySteps() {
    for (int from = 0; from < 1500; from++) {
      for (int to = 0; to <= from; to++) {
        assertStepsAreFew(from, to);
      }
    }
    SplittableRandom random = new SplittableRandom(1);
    for (int run = 0; run < 100_000; run++) {
      long from = random.nextLong(1L << random.nextInt(1, 62));
      assertStepsAreFew(from, random.nextLong(from + 1));
    }
  }

  private static void assertStepsAreFew(long from, long to) {
    int steps = 0;
    long at = from;
    while (at > to) {
      long skip = SkipGeometry.skip(at);
      at = skip >= to ? skip : at - 1;
      steps++;
    }
    int log = Long.SIZE - 1 - Long.numberOfLeadingZeros(from + 2);
    assertThat(steps).as("from %d to %d", from, to).isLessThanOrEqualTo(3 * log - 2);
  }
}

package io.tallystick.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.bench.figure.BenchCase;
import org.junit.jupiter.api.Test;

/// Goal: a figure says what it was not measured with. Method: by hand.
class ClusterSizesTest {
  private static final BenchCase CASE = BenchCase.figure("takeover", 1, "s");
  private static final ClusterSizes AS_MEANT =
      new ClusterSizes(ClusterSizes.JOURNALS_MEANT, ClusterSizes.HEAP_SHIPPED);

  @Test
  void aTakeoverOfFewerJournalsSaysSo() {
    ClusterSizes few = new ClusterSizes(200_000, ClusterSizes.HEAP_SHIPPED);
    assertThat(few.toldOfTakeover(CASE).getFirst().departs())
        .isEqualTo("200000 journals, not 5000000");
    assertThat(new ClusterSizes(1, "512m").toldOfTakeover(CASE).getFirst().departs())
        .isEqualTo("a heap of 512m for each process, not 1g; 1 journals, not 5000000");
    assertThat(few.told(CASE).getFirst().departs()).as("of what has no such shard").isNull();
    assertThat(AS_MEANT.toldOfTakeover(CASE).getFirst().departs()).isNull();
  }
}

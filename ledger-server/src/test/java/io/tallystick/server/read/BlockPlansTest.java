package io.tallystick.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.host.StoredBlockFixture;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.testkit.Fixtures;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: what is kept of blocks for reading stays within its bound, what is in use stays longest,
/// and a block is found for leaves of its own and of its own strand only. Method: one block that
/// poses as many.
class BlockPlansTest {
  private static final StrandId STRAND = Fixtures.ledger().strand();
  private static final StrandId OTHER = new StrandId(STRAND.ledger(), 1);

  private static BlockPlan plan(BlockInfo block, long firstJsn) throws Exception {
    BlockRow row =
        new BlockRow(
            firstJsn,
            firstJsn + 9,
            1,
            0,
            0,
            0,
            0,
            Digest.ZERO,
            Digest.ZERO,
            Digest.ZERO,
            Digest.ZERO,
            Digest.ZERO,
            null);
    return new BlockPlan(0, row, block);
  }

  @Test
  void findsABlockForItsOwnLeavesOnly() throws Exception {
    BlockPlan plan = plan(StoredBlockFixture.ofBatch(9), 10);
    BlockPlans plans = new BlockPlans(1 << 20);
    plans.add(STRAND, plan);
    assertThat(plans.find(STRAND, 10)).isSameAs(plan);
    assertThat(plans.find(STRAND, 19)).isSameAs(plan);
    assertThat(plans.find(STRAND, 9)).isNull();
    assertThat(plans.find(STRAND, 20)).isNull();
    assertThat(plans.find(OTHER, 12)).isNull();
  }

  @Test
  void staysWithinItsBoundAndKeepsWhatIsUsed() throws Exception {
    BlockInfo block = StoredBlockFixture.ofBatch(9);
    int cost = plan(block, 0).costBytes();
    BlockPlans plans = new BlockPlans(10L * cost);
    BlockPlan used = plan(block, 0);
    plans.add(OTHER, used);
    List<Long> added = new ArrayList<>();
    for (long first = 10; first < 1000; first += 10) {
      plans.add(STRAND, plan(block, first));
      added.add(first);
      assertThat(plans.bytes()).isLessThanOrEqualTo(10L * cost);
      assertThat(plans.find(OTHER, 5)).isSameAs(used);
    }
    assertThat(added.stream().filter(first -> plans.find(STRAND, first) != null)).hasSize(9);
    assertThat(plans.find(STRAND, added.getLast())).isNotNull();
    assertThat(plans.find(STRAND, 10)).isNull();
  }
}

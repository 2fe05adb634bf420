package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.BodyState;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.BlockView;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a client's batch is in one block of one frame, however large it is and however small the
/// frames. Method: look at the stored frames.
class WholeBatchTest {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  private static ShardConfig framesOf(int bytes) {
    ShardConfig.Commits usual = TestNode.CONFIG.commits();
    return TestNode.CONFIG.withCommits(
        new ShardConfig.Commits(bytes, 2000, usual.lingerBytes(), usual.guardIdleMillis()));
  }

  @Test
  void commitsABatchOfTenThousandInOneBlock() throws Exception {
    try (TestNode service = new TestNode(disk, meta)) {
      service.found();
      Receipted receipted = service.append(service.fixtures.batch(1, 10_000));
      assertThat(receipted.committed().count()).isEqualTo(10_000);
      BlockView block = service.node.newestBlock(service.fixtures.strand());
      assertThat(block.firstJsn()).isEqualTo(2);
      assertThat(block.sealJsn()).isEqualTo(10_002);
      assertThat(service.node.journal(service.fixtures.strand(), 10_001, true).bodyState())
          .isEqualTo(BodyState.PRESENT);
    }
    try (TestNode service = new TestNode(disk, meta)) {
      assertThat(service.append(service.fixtures.batch(1, 10_000)).committed().repeated()).isTrue();
    }
  }

  @Test
  void neverSplitsABatchOverFramesAndMakesOneBlockPerStrand() throws Exception {
    Fixtures other = Fixtures.ledger(Fixtures.TIME_MS + 1);
    try (TestNode service = new TestNode(disk, meta, framesOf(2000))) {
      service.found();
      service.found(other);
      List<AppendTicket> tickets = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Fixtures ledger = i % 3 == 0 ? other : service.fixtures;
        tickets.add(service.node.append(service.verify(ledger, ledger.batch(100 * i, 5))));
      }
      for (AppendTicket ticket : tickets) {
        TestNode.await(ticket);
      }
    }
    StoredStream stream = new StoredStream(disk);
    int submissions = 0;
    for (StoredStream.Frame frame : stream.frames()) {
      List<BlockInfo> blocks = new CommitFrame(stream.infos(frame), 0).blocks();
      assertThat(blocks.stream().map(BlockInfo::strand)).doesNotHaveDuplicates();
      for (BlockInfo block : blocks) {
        for (int i = 0; i < block.submissions() && !block.genesis(); i++, submissions++) {
          assertThat(block.journalsOf(i)).isEqualTo(5);
        }
      }
    }
    assertThat(submissions).isEqualTo(20);
  }
}

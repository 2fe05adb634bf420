package io.tallystick.storage.replicated;

import static io.tallystick.testkit.contract.Frames.SHARD;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.contract.Frames;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Reading the list of segments while its owner changes it.
class SegmentTableTest {
  private final TwinCluster cluster = new TwinCluster(4);
  private final TwinCluster.Server owner = cluster.server("owner", Steps.NONE, TwinCluster.SMALL);
  private int reads;

  private SegmentTable table(TwinCluster.Server server) {
    return new SegmentTable(server.coordination(), cluster.paths(), SHARD);
  }

  /// Between looking at the list, or at one of the segments, and looking at the next one, the owner
  /// goes on and drops all that was there.
  @Test
  void aListThatChangesMeanwhileIsReadAgain() throws Exception {
    cluster.found(SHARD);
    long epoch = owner.claims().claim(SHARD).epoch();
    StreamWriter writer = owner.store().openWriter(SHARD, epoch, StreamStore.START);
    for (int dropAt = 1; dropAt <= 3; dropAt++) {
      for (int i = 0; i < 3; i++) {
        Frames.append(writer, "frame", "");
        writer.roll();
      }
      int at = dropAt;
      reads = 0;
      Steps drop =
          what -> {
            if (what.startsWith("read ") && ++reads == at) {
              dropAll(writer);
            }
          };
      TwinCluster.Server other = cluster.server("other", drop, TwinCluster.SMALL);
      assertThat(table(other).read(0)).isEqualTo(table(owner).read(0)).hasSize(1);
    }
  }

  private void dropAll(StreamWriter writer) {
    try {
      Frames.append(writer, "of the last segment that was there", "");
      writer.roll();
      StreamPosition newest = Frames.append(writer, "newest", "").position();
      owner.store().openEraser(SHARD).dropBefore(newest.frame());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}

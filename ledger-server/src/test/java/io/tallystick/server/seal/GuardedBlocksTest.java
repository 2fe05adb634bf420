package io.tallystick.server.seal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.Guard;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.StrandRow;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a block counts as named once a frame behind it has named it, also over a savepoint.
/// Method: guards by hand.
class GuardedBlocksTest {
  private final StrandId strand = Fixtures.ledger().strand();
  private final StrandId other = new StrandId(new LedgerId(Digest.ZERO), 0);
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final GuardedBlocks blocks = new GuardedBlocks();

  private static Guard guard(StrandId strand, long height) {
    return new Guard(strand, height, Digest.ZERO);
  }

  private void seal(GuardedBlocks of, StrandId its, long height) {
    of.grows(its, height);
    of.sealed(guard(its, height));
  }

  private GuardedBlocks reopened(GuardedBlocks before) throws Exception {
    MetaBatch batch = new MetaBatch();
    before.savepoint(batch);
    putRow(batch, strand, 9);
    putRow(batch, other, 4);
    meta.write(batch);
    GuardedBlocks after = new GuardedBlocks();
    after.restore(meta);
    return after;
  }

  @Test
  void aBlockIsNamedByAFrameBehindIt() {
    seal(blocks, strand, 0);
    assertThat(blocks.blocks(strand, 1)).isZero();
    blocks.named(List.of(guard(strand, 0)));
    assertThat(blocks.blocks(strand, 1)).isEqualTo(1);
    assertThat(blocks.anyWaiting()).isFalse();
    seal(blocks, strand, 1);
    seal(blocks, strand, 2);
    blocks.named(List.of(guard(strand, 1)));
    assertThat(blocks.blocks(strand, 3)).isEqualTo(2);
    assertThat(blocks.waiting(9)).containsExactly(guard(strand, 2));
  }

  @Test
  void aSavepointKnowsWhichAreNot() throws Exception {
    seal(blocks, strand, 7);
    seal(blocks, other, 3);
    blocks.named(List.of(guard(other, 3)));
    GuardedBlocks after = reopened(blocks);
    assertThat(after.blocks(strand, 8)).isEqualTo(7);
    assertThat(after.blocks(other, 4)).as("all that it has").isEqualTo(4);
    seal(after, strand, 8);
    assertThat(after.blocks(strand, 9)).isEqualTo(7);
    after.named(List.of(guard(strand, 8)));
    assertThat(after.blocks(strand, 9)).isEqualTo(9);
    assertThat(reopened(after).blocks(strand, 9)).isEqualTo(9);
    assertThat(meta.get(Bytes.utf8("G"))).as("nothing is to be said").isNull();
  }

  private static void putRow(MetaBatch batch, StrandId of, long blocks) {
    Digest none = Digest.ZERO;
    BlockRow last =
        new BlockRow(
            2 * blocks - 2,
            2 * blocks - 1,
            Fixtures.TIME_MS,
            0,
            0,
            0,
            0,
            Digest.of(Fixtures.bytes32("seal " + blocks)),
            none,
            none,
            none,
            none,
            null);
    batch.put(StrandRow.key(of), new StrandRow(blocks, false, last).encode(of));
  }

  /// Nobody names it before the next savepoint, nor before the one behind that.
  @Test
  void aSavepointForgetsNoneThatIsNotNamedYet() throws Exception {
    seal(blocks, strand, 7);
    blocks.named(List.of(guard(strand, 7)));
    seal(blocks, strand, 8);
    GuardedBlocks first = reopened(blocks);
    GuardedBlocks second = reopened(first);
    assertThat(second.blocks(strand, 9)).isEqualTo(8);
    Guard newest = new Guard(strand, 8, Digest.of(Fixtures.bytes32("seal 9")));
    assertThat(second.waiting(9)).as("for the next frame").containsExactly(newest);
    second.named(List.of(newest));
    assertThat(reopened(second).blocks(strand, 9)).isEqualTo(9);
    assertThat(meta.get(Bytes.utf8("G"))).isNull();
  }

  @Test
  void refusesARowOfAnotherVersion() throws Exception {
    meta.write(
        new MetaBatch().put(Bytes.utf8("G"), Bytes.wrap(new byte[] {(byte) 0x82, 2, (byte) 0x80})));
    assertThatThrownBy(() -> blocks.restore(meta))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("version 2, want 1");
  }
}

package io.tallystick.audit.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what comes back is what was spilled, or nothing. Method: a branch of two clues; a place
/// that was given to another.
class SubtrieCodecTest {
  @TempDir private Path folder;

  private static ReplayNode.Branch branch(int seed) {
    byte[] zeros = new byte[32];
    ReplayNode.Branch branch = new ReplayNode.Branch(zeros, 0);
    branch.clues = 2;
    for (int i = 0; i < 2; i++) {
      ReplayNode.Clue clue = new ReplayNode.Clue(zeros.clone());
      Arrays.fill(clue.key, (byte) (i << 4));
      clue.count = 6;
      clue.deletedJsn = seed;
      clue.subtrees = new byte[96]; // 6 has two subtrees; there was room for a third
      Arrays.fill(clue.subtrees, (byte) seed);
      clue.setHash(zeros, 0);
      branch.children[i] = clue;
    }
    branch.setHash(zeros, 0);
    return branch;
  }

  @Test
  void takesBackWhatItSpilled() throws Exception {
    try (SubtrieCodec codec = new SubtrieCodec(new ReplayMemory(0, folder))) {
      ReplayNode.Spilled spilled = codec.spill(branch(7));
      assertThat(spilled.clues).isEqualTo(2);
      ReplayNode.Branch back = codec.takeBack(spilled);
      assertThat(back.hashed()).isTrue();
      assertThat(back.clues).isEqualTo(2);
      assertThat(back.children[0]).isInstanceOf(ReplayNode.Clue.class);
      if (!(back.children[1] instanceof ReplayNode.Clue second)) {
        throw new AssertionError("no clue at nibble 1");
      }
      assertThat(second.count).isEqualTo(6);
      assertThat(second.deletedJsn).isEqualTo(7);
      assertThat(second.key[31]).isEqualTo((byte) 0x10);
      assertThat(second.subtrees).hasSize(64).containsOnly(7);
      assertThat(back.children[2]).isNull();
    }
  }

  @Test
  void takesNoOtherRecordForTheOneItWrote() throws Exception {
    try (SubtrieCodec codec = new SubtrieCodec(new ReplayMemory(0, folder))) {
      ReplayNode.Spilled first = codec.spill(branch(7));
      codec.takeBack(first);
      ReplayNode.Spilled second = codec.spill(branch(8));
      assertThat(second.position).as("the place was free").isEqualTo(first.position);
      assertThatThrownBy(() -> codec.read(first))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("does not hold what was written at 0");
      assertThat(codec.read(second).clues).isEqualTo(2);
    }
  }

  @Test
  void givesEveryPlaceToOneRecordAtATime() throws Exception {
    try (SpillFile file = new SpillFile(folder)) {
      long[] positions = new long[10];
      byte[] record = new byte[1_000];
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < positions.length; i++) {
          Arrays.fill(record, (byte) i);
          positions[i] = file.write(record, 100 * (i + 1));
        }
        assertThat(file.bytes()).as("nothing grows").isEqualTo(2 * 256 + 3 * 512 + 5 * 1024);
        for (int i = 0; i < positions.length; i++) {
          file.read(positions[i], record, 100 * (i + 1));
          assertThat(Arrays.copyOf(record, 100 * (i + 1))).containsOnly(i);
        }
        for (int i = 0; i < positions.length; i++) {
          file.free(positions[i], 100 * (i + 1));
        }
      }
    }
  }
}

package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// An index that is started over and filled again is as new: nothing of what it held is found.
class ClueRebuildTest {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final SplittableRandom random = new SplittableRandom(1);
  private final ClueModel wrong = ClueModel.random(2000, 8, random);
  private final ClueModel right = ClueModel.random(1500, 5, random);

  @Test
  void isRebuilt() throws Exception {
    fill(Shard.open(disk, meta), wrong, false);
    fill(Shard.startOver(disk, meta), right, true);
    assertIsRight();
  }

  @Test
  void isRebuiltWhileSmall() throws Exception {
    fill(Shard.open(disk, meta), wrong.first(20), false);
    fill(Shard.startOver(disk, meta), right, true);
    assertIsRight();
  }

  @Test
  void isStartedOverAfterAnInterruption() throws Exception {
    fill(Shard.open(disk, meta), wrong, false);
    fill(Shard.startOver(disk, meta), right.first(700), false);
    assertThatThrownBy(() -> Shard.open(disk, meta))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("rebuilding");
    fill(Shard.startOver(disk, meta), right, true);
    assertIsRight();
  }

  /// The rows went, the mark stays: the cells' file of before is no one's.
  @Test
  void isStartedOverAfterAnInterruptionAtOnce() throws Exception {
    fill(Shard.open(disk, meta), wrong, false);
    Shard.startOver(disk, meta).close();
    assertThatThrownBy(() -> Shard.open(disk, meta)).isInstanceOf(CorruptStreamException.class);
    fill(Shard.startOver(disk, meta), right, true);
    assertIsRight();
  }

  /// Whoever still has the old one must not take rows that went for clues that were never used.
  @Test
  void aReaderOfTheOldOneHearsThatItWasClosed() throws Exception {
    fill(Shard.open(disk, meta), wrong, false);
    Shard old = Shard.open(disk, meta);
    Digest clue = wrong.log().getFirst().clueId();
    old.close();
    Shard.startOver(disk, meta).close();
    assertThatThrownBy(() -> old.index().head(clue))
        .isInstanceOf(CorruptStreamException.class)
        .hasMessageContaining("the index was closed while it was read");
    assertThatThrownBy(() -> old.index().latest(clue, Long.MAX_VALUE))
        .isInstanceOf(CorruptStreamException.class);
  }

  private void assertIsRight() throws Exception {
    try (Shard shard = Shard.open(disk, meta)) {
      ClueChecks.assertIs(shard.index(), right, random);
    }
  }

  private static void fill(Shard shard, ClueModel model, boolean isAll) throws Exception {
    try (shard) {
      int half = model.log().size() / 2;
      shard.append(model, 0, half);
      shard.savepoint();
      shard.append(model, half, model.log().size());
      if (isAll) {
        shard.index().rebuilt();
      }
      shard.savepoint();
    }
  }
}

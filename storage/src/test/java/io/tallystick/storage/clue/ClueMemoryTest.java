package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Digest;
import io.tallystick.storage.clue.ClueModel.Appended;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Heads take no more memory than they may, whatever the number of clues, if savepoints are taken
/// when they are due.
class ClueMemoryTest {
  private static final int BYTES_MAX = 200_000;

  /// What 64 parts may each be over: the last head, and heads used since the last sweep.
  private static final int SLACK = BYTES_MAX / 4;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final ClueMemory memory = new ClueMemory(BYTES_MAX);

  @Test
  void staysBoundedForAnyNumberOfClues() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    int savepoints = 0;
    try (Shard shard = Shard.open(disk, meta, memory)) {
      for (int jsn = 1; jsn <= 60_000; jsn++) {
        Digest clueId = ClueModel.clueId(random.nextInt(20_000));
        shard.append(new Appended(clueId, jsn, ClueModel.digest(random), false));
        if (memory.savepointDue()) {
          shard.savepoint();
          shard.index().saved();
          assertThat(memory.unsavedBytes()).isZero();
          savepoints++;
        }
        assertThat(memory.bytes()).isLessThan(BYTES_MAX + SLACK);
      }
    }
    assertThat(savepoints).isGreaterThan(20);
    assertThat(memory.unsavedBytes()).isZero();
  }

  /// Cells of an index that has no file yet wait in memory, too.
  @Test
  void cellsThatWaitCount() throws Exception {
    ClueModel model = ClueModel.random(1000, 1, new SplittableRandom(4));
    try (Shard shard = Shard.open(disk, meta, memory)) {
      shard.append(model, 0, 500);
      assertThat(memory.unsavedBytes()).isGreaterThan(500 * 64);
      shard.savepoint();
      shard.index().saved();
      assertThat(memory.unsavedBytes()).isZero();
      shard.append(model, 500, 1000);
      assertThat(memory.unsavedBytes()).as("now in a file").isLessThan(500 * 64);
    }
  }

  /// Reading fills the memory and no more.
  @Test
  void staysBoundedForReaders() throws Exception {
    SplittableRandom random = new SplittableRandom(2);
    ClueModel model = ClueModel.random(20_000, 10_000, random);
    try (Shard shard = Shard.open(disk, meta)) {
      shard.append(model, 0, model.log().size());
      shard.savepoint();
    }
    try (Shard shard = Shard.open(disk, meta, memory)) {
      long most = 0;
      for (Appended appended : model.log()) {
        assertThat(shard.index().latest(appended.clueId(), appended.jsn())).isPresent();
        assertThat(memory.bytes()).isLessThan(BYTES_MAX + SLACK);
        most = Math.max(most, memory.bytes());
      }
      assertThat(most).isGreaterThan(BYTES_MAX / 2);
    }
  }

  /// What an index that was closed has left makes room for others, saved or not.
  @Test
  void aClosedIndexLeavesItsRoom() throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    ClueModel model = ClueModel.random(20_000, 5_000, random);
    for (int run = 0; run < 5; run++) {
      try (Shard shard = Shard.open(new InMemoryDisk(), new InMemoryMetaStore(), memory)) {
        shard.append(model, 0, model.log().size());
        assertThat(memory.savepointDue()).isTrue();
        assertThat(memory.bytes()).isLessThan(2 * memory.unsavedBytes() + SLACK);
      }
      assertThat(memory.unsavedBytes()).isZero();
    }
  }
}

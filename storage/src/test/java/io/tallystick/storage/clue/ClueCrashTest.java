package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Whatever operation a machine stops at, a force fails at or a disk is full at, the clue index is
/// found again as a savepoint left it, and filled up from there it is what a replay from nothing
/// makes: the same rows, the same cells. The run fills it over many savepoints; the cells move to a
/// file; one clue's tree gets stored nodes; now and then the index is closed and opened again, so
/// that cells are cut.
class ClueCrashTest {
  private static final int SEEDS = Effort.of(1, 2);

  private final ClueModel model = ClueModel.random(900, 6, new SplittableRandom(11));
  private final InMemoryDisk cleanDisk = new InMemoryDisk();
  private final InMemoryMetaStore cleanMeta = new InMemoryMetaStore();

  /// The replay from nothing.
  ClueCrashTest() throws Exception {
    try (Shard shard = Shard.open(cleanDisk, cleanMeta)) {
      shard.append(model, 0, model.log().size());
      shard.savepoint();
    }
  }

  /// What the run knows when it is stopped.
  private static final class Progress {
    private int saved;
    private int saving;
  }

  @Test
  void isFoundAgainAfterACrashAtEveryOperation() throws Exception {
    int operations = operationsOfACleanRun();
    for (int at = 0; at < operations; at++) {
      for (int seed = 0; seed < SEEDS; seed++) {
        CrashPlan plan = CrashPlan.at(at, new SplittableRandom(31L * at + seed));
        CrashingDisk disk = new CrashingDisk(plan);
        CrashingMetaStore meta = new CrashingMetaStore(plan);
        Progress progress = new Progress();
        assertThatThrownBy(() -> run(disk, meta, progress)).isInstanceOf(IOException.class);
        assertThat(plan.crashed()).isTrue();
        assertRecovers(disk.afterCrash(), meta.afterCrash(), progress);
      }
    }
  }

  /// The second crash falls somewhere in what follows the first recovery.
  @Test
  void isFoundAgainAfterASecondCrash() throws Exception {
    int operations = operationsOfACleanRun();
    for (int at = 0; at < operations; at++) {
      SplittableRandom random = new SplittableRandom(at);
      CrashPlan first = CrashPlan.at(at, random);
      CrashingDisk disk = new CrashingDisk(first);
      CrashingMetaStore meta = new CrashingMetaStore(first);
      Progress progress = new Progress();
      assertThatThrownBy(() -> run(disk, meta, progress)).isInstanceOf(IOException.class);
      CrashPlan second = CrashPlan.at(random.nextInt(operations), random.split());
      CrashingDisk nextDisk = new CrashingDisk(disk.afterCrash(), second);
      CrashingMetaStore nextMeta = new CrashingMetaStore(meta.afterCrash(), second);
      runUntilFault(nextDisk, nextMeta, progress);
      second.crashNow();
      assertRecovers(nextDisk.afterCrash(), nextMeta.afterCrash(), progress);
    }
  }

  @Test
  void isFoundAgainAfterEveryFailedForce() throws Exception {
    int failures = 0;
    for (int at = 0; at < operationsOfACleanRun(); at++) {
      failures += failAndRecover(CrashPlan.failForceAt(at, new SplittableRandom(at))) ? 1 : 0;
    }
    assertThat(failures).isGreaterThan(20);
  }

  @Test
  void isFoundAgainAfterEveryWriteThatFoundTheDiskFull() throws Exception {
    int failures = 0;
    for (int at = 0; at < operationsOfACleanRun(); at++) {
      failures += failAndRecover(CrashPlan.diskFullAt(at, new SplittableRandom(at))) ? 1 : 0;
    }
    assertThat(failures).isGreaterThan(20);
  }

  private int operationsOfACleanRun() throws Exception {
    CrashPlan plan = CrashPlan.never();
    run(new CrashingDisk(plan), new CrashingMetaStore(plan), new Progress());
    assertThat(plan.operations()).isGreaterThan(60);
    return plan.operations();
  }

  /// @return whether the planned fault happened
  private boolean failAndRecover(CrashPlan plan) throws Exception {
    CrashingDisk disk = new CrashingDisk(plan);
    CrashingMetaStore meta = new CrashingMetaStore(plan);
    Progress progress = new Progress();
    runUntilFault(disk, meta, progress);
    plan.crashNow();
    assertRecovers(disk.afterCrash(), meta.afterCrash(), progress);
    return plan.fired();
  }

  private void runUntilFault(Disk disk, MetaStore meta, Progress progress) throws Exception {
    try {
      run(disk, meta, progress);
    } catch (IOException e) {
      assertThat(progress.saved).as("stopped by %s", e).isLessThanOrEqualTo(model.log().size());
    }
  }

  private void run(Disk disk, MetaStore meta, Progress progress) throws Exception {
    Shard shard = Shard.open(disk, meta);
    progress.saved = (int) shard.index().cellCount();
    int round = 0;
    while (shard.index().cellCount() < model.log().size()) {
      append(shard, 45);
      progress.saving = (int) shard.index().cellCount();
      shard.savepoint();
      progress.saved = progress.saving;
      if (++round % 4 == 0) {
        append(shard, 33);
        shard.close();
        shard = Shard.open(disk, meta);
      }
    }
    shard.close();
  }

  /// After a failure nothing more may be appended or saved.
  private void append(Shard shard, int count) throws Exception {
    int from = (int) shard.index().cellCount();
    try {
      shard.append(model, from, Math.min(model.log().size(), from + count));
    } catch (IOException e) {
      assertThatThrownBy(shard::savepoint).isInstanceOf(IllegalStateException.class);
      throw e;
    }
  }

  private void assertRecovers(InMemoryDisk disk, InMemoryMetaStore meta, Progress progress)
      throws Exception {
    try (Shard shard = Shard.open(disk, meta)) {
      int found = (int) shard.index().cellCount();
      assertThat(found).isIn(progress.saved, progress.saving);
      ClueChecks.assertIs(shard.index(), model.first(found), new SplittableRandom(found));
      append(shard, model.log().size());
      shard.savepoint();
    }
    assertThat(rows(meta)).isEqualTo(rows(cleanMeta));
    assertThat(Bytes.wrap(disk.content(Shard.FILE)))
        .isEqualTo(Bytes.wrap(cleanDisk.content(Shard.FILE)));
  }

  private static Map<Bytes, Bytes> rows(MetaStore meta) throws Exception {
    Map<Bytes, Bytes> rows = new HashMap<>();
    meta.scan(Bytes.EMPTY, null, (key, value) -> rows.put(key, value) == null);
    return rows;
  }
}

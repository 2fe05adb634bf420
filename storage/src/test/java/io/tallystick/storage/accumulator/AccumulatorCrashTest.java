package io.tallystick.storage.accumulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Digest;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.reference.ReferenceTree;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Whatever operation a machine stops at, a force fails at or a disk is full at, the accumulator is
/// found again as a savepoint left it: the last one written, or the one being written. The run
/// grows a tree over many savepoints; its levels 0 and 4 move to files; after some savepoints it
/// appends, closes and opens again, so that files are cut.
class AccumulatorCrashTest {
  private static final int LEAVES = 700;
  private static final int SEEDS = Effort.of(1, 2);

  private final ReferenceTree tree = ReferenceTree.ofSize(LEAVES);

  private final byte[] leafHashes = new byte[LEAVES * Digest.BYTES];

  AccumulatorCrashTest() {
    for (int jsn = 0; jsn < LEAVES; jsn++) {
      tree.leafHash(jsn).copyInto(leafHashes, jsn * Digest.BYTES);
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
        SplittableRandom random = new SplittableRandom(31L * at + seed);
        crashAndRecover(CrashPlan.at(at, random));
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
    int operations = operationsOfACleanRun();
    int failures = 0;
    for (int at = 0; at < operations; at++) {
      failures += failAndRecover(CrashPlan.failForceAt(at, new SplittableRandom(at))) ? 1 : 0;
    }
    assertThat(failures).isGreaterThan(20);
  }

  @Test
  void isFoundAgainAfterEveryWriteThatFoundTheDiskFull() throws Exception {
    int operations = operationsOfACleanRun();
    int failures = 0;
    for (int at = 0; at < operations; at++) {
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

  private void crashAndRecover(CrashPlan plan) throws Exception {
    CrashingDisk disk = new CrashingDisk(plan);
    CrashingMetaStore meta = new CrashingMetaStore(plan);
    Progress progress = new Progress();
    assertThatThrownBy(() -> run(disk, meta, progress)).isInstanceOf(IOException.class);
    assertThat(plan.crashed()).isTrue();
    assertRecovers(disk.afterCrash(), meta.afterCrash(), progress);
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
      assertThat(progress.saved).as("stopped by %s", e).isLessThanOrEqualTo(LEAVES);
    }
  }

  private void run(Disk disk, MetaStore meta, Progress progress) throws Exception {
    Shard shard = Shard.open(disk, meta, Shard.SMALL);
    progress.saved = (int) shard.accumulator().size();
    int round = 0;
    while (shard.accumulator().size() < LEAVES) {
      append(shard, 17);
      append(shard, 8);
      progress.saving = (int) shard.accumulator().size();
      shard.savepoint();
      progress.saved = progress.saving;
      if (++round % 4 == 0) {
        append(shard, 33);
        shard.close();
        shard = Shard.open(disk, meta, Shard.SMALL);
      }
    }
    shard.close();
  }

  /// After a failure nothing more may be appended or saved.
  private void append(Shard shard, int count) throws Exception {
    int from = (int) shard.accumulator().size();
    try {
      shard.append(tree.leafHashes(from, Math.min(LEAVES, from + count)));
    } catch (IOException e) {
      assertDead(shard);
      throw e;
    }
  }

  private static void assertDead(Shard shard) {
    assertThatThrownBy(shard::savepoint).isInstanceOf(IllegalStateException.class);
  }

  private void assertRecovers(InMemoryDisk disk, InMemoryMetaStore meta, Progress progress)
      throws Exception {
    try (Shard shard = Shard.open(disk, meta, Shard.SMALL)) {
      int size = (int) shard.accumulator().size();
      assertThat(size).isIn(progress.saved, progress.saving);
      assertIsTree(shard.accumulator(), size);
      while (shard.accumulator().size() < LEAVES) {
        append(shard, 200);
        shard.savepoint();
      }
    }
    try (Shard shard = Shard.open(disk, meta, Shard.SMALL)) {
      assertIsTree(shard.accumulator(), LEAVES);
    }
  }

  private void assertIsTree(Accumulator accumulator, int size) throws Exception {
    assertThat(accumulator.size()).isEqualTo(size);
    assertThat(accumulator.root()).isEqualTo(tree.root(size));
    JournalRoot root = new JournalRoot(tree.root(size));
    for (int jsn = 0; jsn < size; jsn += 41) {
      accumulator.inclusion(jsn, size).verify(tree.leafHash(jsn), root);
    }
    byte[] hashes = new byte[size * Digest.BYTES];
    accumulator.leafHashes(0, size, hashes, 0);
    assertThat(hashes).isEqualTo(Arrays.copyOf(leafHashes, hashes.length));
  }
}

package io.tallystick.storage.patricia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Digest;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.patricia.ReferenceTrie;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Whatever operation a machine stops at, a force fails at or a disk is full at, the trie is found
/// again as a savepoint left it: the last one written, or the one being written; and what follows
/// equals a trie made from scratch. Few nodes stay in memory, so most are read from slots that were
/// used before.
final class TrieCrashTest {
  private static final int ROUNDS = Effort.of(8, 14);
  private static final int SEEDS = Effort.of(1, 2);
  private static final int NODES_MAX = 30;

  private final Workers workers = new Workers(1, "crash");
  private final List<Map<Digest, byte[]>> batches = new ArrayList<>();
  private final List<Digest> known = new ArrayList<>();
  private final List<Digest> roots = new ArrayList<>();
  private final ReferenceTrie whole = new ReferenceTrie();

  TrieCrashTest() {
    SplittableRandom random = new SplittableRandom(3);
    roots.add(whole.root());
    for (int round = 0; round < ROUNDS; round++) {
      Map<Digest, byte[]> batch = Tries.pairs(known, 25, random);
      batches.add(batch);
      batch.forEach((key, value) -> whole.put(key.toArray(), value));
      roots.add(whole.root());
    }
  }

  @AfterEach
  void endWorkers() {
    workers.close();
  }

  /// What the run knows when it is stopped: rounds.
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

  @Test
  void isFoundAgainAfterEveryFailedForce() throws Exception {
    assertThat(failures(at -> CrashPlan.failForceAt(at, new SplittableRandom(at))))
        .isGreaterThan(20);
  }

  @Test
  void isFoundAgainAfterEveryWriteThatFoundTheDiskFull() throws Exception {
    assertThat(failures(at -> CrashPlan.diskFullAt(at, new SplittableRandom(at))))
        .isGreaterThan(20);
  }

  private interface Plans {
    CrashPlan at(int operation);
  }

  private int failures(Plans plans) throws Exception {
    int operations = operationsOfACleanRun();
    int failures = 0;
    for (int at = 0; at < operations; at++) {
      CrashPlan plan = plans.at(at);
      CrashingDisk disk = new CrashingDisk(plan);
      CrashingMetaStore meta = new CrashingMetaStore(plan);
      Progress progress = new Progress();
      try {
        run(disk, meta, progress);
      } catch (IOException e) {
        assertThat(progress.saved).as("stopped by %s", e).isLessThan(ROUNDS);
      }
      plan.crashNow();
      assertRecovers(disk.afterCrash(), meta.afterCrash(), progress);
      failures += plan.fired() ? 1 : 0;
    }
    return failures;
  }

  private int operationsOfACleanRun() throws Exception {
    CrashPlan plan = CrashPlan.never();
    run(new CrashingDisk(plan), new CrashingMetaStore(plan), new Progress());
    assertThat(plan.operations()).isGreaterThan(80);
    return plan.operations();
  }

  private void run(Disk disk, MetaStore meta, Progress progress) throws Exception {
    try (Tries tries = Tries.open(disk, meta, workers, NODES_MAX)) {
      PatriciaTrie trie = tries.trie();
      for (int round = roundOf(trie); round < ROUNDS; round++) {
        trie.apply(Tries.batch(batches.get(round)));
        progress.saving = round + 1;
        tries.savepoint(trie);
        progress.saved = progress.saving;
      }
      assertThat(tries.store().slots().fileBytes())
          .as("slots are used again")
          .isLessThan(3 * tries.store().slots().liveBytes());
    }
  }

  private int roundOf(PatriciaTrie trie) {
    return roots.indexOf(trie.view().root());
  }

  private void assertRecovers(InMemoryDisk disk, InMemoryMetaStore meta, Progress progress)
      throws Exception {
    try (Tries tries = Tries.open(disk, meta, workers, NODES_MAX)) {
      assertThat(roundOf(tries.trie())).isIn(progress.saved, progress.saving);
    }
    run(disk, meta, progress);
    try (Tries tries = Tries.open(disk, meta, workers, NODES_MAX);
        TrieView.Reader reader = tries.trie().view().open().orElseThrow()) {
      assertThat(roundOf(tries.trie())).isEqualTo(ROUNDS);
      for (Digest key : known) {
        assertThat(reader.get(key)).isEqualTo(whole.get(key.toArray()));
      }
    }
  }
}

package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: whatever of an index is damaged, reads that need it say so, appends go on, in this ledger
/// and in others, and all blocks, answers and proofs are what they would have been. Method: damage
/// a copy of what a node left, append the same to it and to another copy, and compare.
abstract class IndexRebuildContract {
  static final int MORE = 5;

  /// No savepoint but the one at the end.
  static final ShardConfig CONFIG = TestNode.CONFIG.withSavepointEvery(1_000_000, 3_600_000);

  final Fixtures ledger;
  final Fixtures plain = Fixtures.ledger(Fixtures.TIME_MS + 1);
  final InMemoryDisk disk = new InMemoryDisk();
  final InMemoryMetaStore meta = new InMemoryMetaStore();

  /// @param ledger has the index
  IndexRebuildContract(Fixtures ledger) {
    this.ledger = ledger;
  }

  /// Appends to the ledger what the index is of, 60 times and more.
  abstract void fill(TestNode node) throws Exception;

  /// Appends what `i` says: the same as before if it was there before.
  abstract void append(TestNode node, int i) throws Exception;

  /// All that a node answers of the index.
  abstract List<Object> indexAnswers(TestNode node) throws Exception;

  /// How often the index was filled again since the start.
  abstract long rebuilds(TestNode node);

  /// Damages what the next append to the ledger needs.
  abstract void damage(InMemoryDisk files, InMemoryMetaStore rows) throws Exception;

  @BeforeEach
  void foundAndFill() throws Exception {
    try (TestNode node = new TestNode(disk, meta, CONFIG)) {
      node.found(ledger);
      node.found(plain);
      fill(node);
    }
  }

  void appendMore(TestNode node) throws Exception {
    for (int i = 100; i < 100 + MORE; i++) {
      append(node, i);
    }
  }

  /// Everything that a node answers of the index, and its newest blocks.
  List<Object> answers(TestNode node) throws Exception {
    List<Object> answers = new ArrayList<>();
    answers.add(node.node.newestBlock(ledger.strand()));
    answers.add(node.node.newestBlock(plain.strand()));
    answers.addAll(indexAnswers(node));
    return answers;
  }

  /// What an undamaged node answers after the same appends.
  List<Object> undamaged() throws Exception {
    try (TestNode node = new TestNode(disk.copy(), meta.copy(), CONFIG)) {
      appendMore(node);
      assertThat(rebuilds(node)).isZero();
      return answers(node);
    }
  }

  /// @param at of the byte that is damaged, from the row's end if it is negative
  static void flip(InMemoryMetaStore rows, Bytes key, int at) {
    byte[] row = Objects.requireNonNull(rows.get(key)).toArray();
    row[at < 0 ? row.length + at : at] ^= 1;
    rows.write(new MetaBatch().put(key, Bytes.wrap(row)));
  }

  void assertHeals(InMemoryDisk damaged, InMemoryMetaStore rows, String where) throws Exception {
    try (TestNode node = new TestNode(damaged, rows, CONFIG)) {
      assertDamaged(() -> answers(node), where);
      node.append(plain, plain.single(1_000)); // nothing is looked at
      assertThat(rebuilds(node)).isZero();
    }
    List<Object> want;
    try (TestNode node = new TestNode(disk.copy(), meta.copy(), CONFIG)) {
      node.append(plain, plain.single(1_000));
      appendMore(node);
      want = answers(node);
    }
    try (TestNode node = new TestNode(damaged, rows, CONFIG)) {
      assertDamaged(() -> answers(node), where);
      appendMore(node);
      assertThat(rebuilds(node)).isEqualTo(1);
      assertThat(answers(node)).isEqualTo(want);
    }
    try (TestNode node = new TestNode(damaged, rows, CONFIG)) {
      assertThat(answers(node)).isEqualTo(want);
      append(node, 200);
      assertThat(rebuilds(node)).isZero();
    }
  }

  static void assertDamaged(ThrowingCallable read, String where) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.DAMAGED))
        .hasMessageContaining(where);
  }

  /// Wherever the machine stops while it rebuilds, the next start finds what is needed to go on.
  @Test
  void goesOnWhereverItCrashes() throws Exception {
    InMemoryDisk files = disk.copy();
    InMemoryMetaStore rows = meta.copy();
    damage(files, rows);
    List<Object> want = undamaged();
    CrashPlan clean = CrashPlan.never();
    run(new CrashingDisk(files.copy(), clean), new CrashingMetaStore(rows.copy(), clean));
    assertThat(clean.operations()).isGreaterThan(15);
    SplittableRandom random = new SplittableRandom(1);
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk crashing = new CrashingDisk(files.copy(), plan);
      CrashingMetaStore crashingRows = new CrashingMetaStore(rows.copy(), plan);
      try {
        run(crashing, crashingRows);
      } catch (Exception died) {
        // The next start counts.
      }
      plan.crashNow();
      InMemoryDisk left = crashing.afterCrash();
      InMemoryMetaStore leftRows = crashingRows.afterCrash();
      run(left, leftRows);
      try (TestNode node = new TestNode(left, leftRows, CONFIG)) {
        assertThat(answers(node)).as("crash at operation %d", at).isEqualTo(want);
      }
    }
  }

  private void run(Disk onDisk, MetaStore inMeta) throws Exception {
    try (TestNode node = new TestNode(onDisk, inMeta, CONFIG)) {
      appendMore(node); // what is there already is repeated
    }
  }
}

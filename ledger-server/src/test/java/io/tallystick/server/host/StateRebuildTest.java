package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.DraftOp;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateReads;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: whatever of a ledger's state is damaged, reads that need it say so, appends go on, in this
/// ledger and in others, and all blocks, answers and proofs are what they would have been. Method:
/// damage a copy of what a node left, append the same to it and to another copy, and compare.
class StateRebuildTest {
  private static final int KEYS = 23;
  private static final int BEFORE = 70;

  /// No savepoint but the one at the end.
  private static final ShardConfig CONFIG =
      TestNode.CONFIG.withSavepointEvery(1_000_000, 3_600_000);

  private final Fixtures ledger = Fixtures.ledger().withSmallState();
  private final Fixtures plain = Fixtures.ledger(Fixtures.TIME_MS + 1);
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();

  private static Bytes key(int i) {
    return Bytes.utf8("key " + i % KEYS);
  }

  @BeforeEach
  void fill() throws Exception {
    try (TestNode node = new TestNode(disk, meta, CONFIG)) {
      node.found(ledger);
      node.found(plain);
      for (int i = 0; i < BEFORE; i++) {
        append(node, i);
      }
    }
  }

  private void append(TestNode node, int i) throws Exception {
    DraftOp first = DraftOp.put(key(i), Bytes.utf8("value " + i));
    DraftOp second = i % 5 == 0 ? DraftOp.delete(key(i + 9)) : DraftOp.put(key(i + 3), key(i));
    node.append(ledger, ledger.writing(i, first, second));
  }

  private void appendMore(TestNode node) throws Exception {
    for (int i = 100; i < 105; i++) {
      append(node, i);
    }
  }

  /// Everything that a node answers of the newest state, and its newest blocks.
  private List<Object> answers(TestNode node) throws Exception {
    List<Object> answers = new ArrayList<>();
    answers.add(node.node.newestBlock(ledger.strand()));
    answers.add(node.node.newestBlock(plain.strand()));
    for (int i = 0; i < KEYS; i++) {
      answers.add(node.node.state(ledger.strand(), key(i), StateReads.NEWEST, true));
    }
    StateQuery all = new StateQuery(Bytes.EMPTY, Optional.empty(), 100, StateReads.NEWEST, true);
    answers.add(node.node.statePage(ledger.strand(), all));
    return answers;
  }

  private List<Bytes> rows(MetaStore rows, char kind) throws Exception {
    List<Bytes> keys = new ArrayList<>();
    Bytes prefix =
        Bytes.fromHex("%02x".formatted((int) kind) + ledger.strand().ledger().digest().hex());
    rows.scan(
        prefix,
        null,
        (key, _) -> {
          keys.add(key);
          return true;
        });
    return keys;
  }

  private static void flip(InMemoryMetaStore rows, Bytes key, int at) {
    byte[] row = Objects.requireNonNull(rows.get(key)).toArray();
    row[at < 0 ? row.length + at : at] ^= 1;
    rows.write(new MetaBatch().put(key, Bytes.wrap(row)));
  }

  /// Damages each slot of a file.
  private static void flipAll(InMemoryDisk files) throws Exception {
    try (DiskFile slots = files.open("forest/2048.slots")) {
      for (long at = 40; at < slots.size(); at += 2048) {
        ByteBuffer one = ByteBuffer.allocate(1);
        assertThat(slots.read(at, one)).isEqualTo(1);
        slots.write(at, ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ 1)}));
      }
    }
  }

  private void assertHeals(InMemoryMetaStore damaged, String why) throws Exception {
    assertHeals(damaged, disk.copy(), why);
  }

  private void assertHeals(InMemoryMetaStore damaged, InMemoryDisk files, String why)
      throws Exception {
    try (TestNode node = new TestNode(files, damaged, CONFIG)) {
      assertDamaged(() -> answers(node), why);
      node.append(plain, plain.single(1_000)); // nothing is looked at
      assertThat(node.stateRebuilds()).isZero();
    }
    List<Object> want;
    InMemoryMetaStore good = meta.copy();
    try (TestNode node = new TestNode(disk.copy(), good, CONFIG)) {
      node.append(plain, plain.single(1_000));
      appendMore(node);
      want = answers(node);
    }
    try (TestNode node = new TestNode(files, damaged, CONFIG)) {
      assertDamaged(() -> answers(node), why);
      appendMore(node);
      assertThat(node.stateRebuilds()).isEqualTo(1);
      assertThat(answers(node)).isEqualTo(want);
    }
    try (TestNode node = new TestNode(files, damaged, CONFIG)) {
      assertThat(answers(node)).isEqualTo(want);
      append(node, 200);
      assertThat(node.stateRebuilds()).isZero();
    }
  }

  private static void assertDamaged(ThrowingCallable read, String why) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.DAMAGED))
        .hasMessageContaining(why);
  }

  @Test
  void anyDamagedRow() throws Exception {
    Bytes forest = rows(meta, 'v').getFirst();
    for (int at : new int[] {0, 3, 9, -1}) {
      InMemoryMetaStore damaged = meta.copy();
      flip(damaged, forest, at);
      assertHeals(damaged, "state of ");
    }
    InMemoryMetaStore lost = meta.copy();
    lost.write(new MetaBatch().delete(forest));
    assertHeals(lost, "state of ");
  }

  @Test
  void damagedPages() throws Exception {
    InMemoryDisk files = disk.copy();
    flipAll(files);
    assertHeals(meta.copy(), files, "forest/2048.slots");
  }

  /// Rows of an earlier savepoint fit each other, but not the newest block.
  @Test
  void rowsOfAnEarlierSavepoint() throws Exception {
    InMemoryMetaStore grown = meta.copy();
    try (TestNode node = new TestNode(disk, grown, CONFIG)) {
      append(node, 90);
    }
    for (Bytes key : rows(meta, 'v')) {
      grown.write(new MetaBatch().put(key, Objects.requireNonNull(meta.get(key))));
    }
    try (TestNode node = new TestNode(disk, grown, CONFIG)) {
      assertDamaged(() -> answers(node), "the last block sealed");
      append(node, 91);
      assertThat(node.stateRebuilds()).isEqualTo(1);
      answers(node);
    }
  }

  @Test
  void whereverItCrashesWhileItRebuilds() throws Exception {
    InMemoryDisk damaged = disk.copy();
    flipAll(damaged);
    List<Object> want;
    try (TestNode node = new TestNode(disk.copy(), meta.copy(), CONFIG)) {
      appendMore(node);
      want = answers(node);
    }
    CrashPlan clean = CrashPlan.never();
    rebuild(new CrashingDisk(damaged.copy(), clean), new CrashingMetaStore(meta.copy(), clean));
    SplittableRandom random = new SplittableRandom(20261125);
    for (int at = 0; at < clean.operations(); at++) {
      CrashPlan plan = CrashPlan.at(at, random.split());
      CrashingDisk files = new CrashingDisk(damaged.copy(), plan);
      CrashingMetaStore rows = new CrashingMetaStore(meta.copy(), plan);
      rebuild(files, rows);
      plan.crashNow();
      try (TestNode node = new TestNode(files.afterCrash(), rows.afterCrash(), CONFIG)) {
        appendMore(node); // what was there already is answered as it was
        assertThat(node.node.newestBlock(ledger.strand()).blockHash())
            .as("crash at operation %d", at)
            .isEqualTo(((BlockView) want.getFirst()).blockHash());
        append(node, 300);
        answers(node);
      }
    }
  }

  private void rebuild(Disk files, MetaStore rows) {
    try (TestNode node = new TestNode(files, rows, CONFIG)) {
      appendMore(node);
    } catch (Exception died) {
      // What survives is what counts.
    }
  }
}

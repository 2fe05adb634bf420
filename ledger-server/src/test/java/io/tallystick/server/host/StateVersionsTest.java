package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.DraftOp;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptState;
import io.tallystick.node.ProvenState;
import io.tallystick.node.StatePruning;
import io.tallystick.node.StateReads;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.forest.VersionLimits;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// The versions of states that a node keeps: they are there after a start, every block's state is
/// made from them, its operator sees and drops them, and a strand at rest loses none.
class StateVersionsTest {
  private static final Bytes KEY = Bytes.utf8("key");

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withSmallState();
  private final Fixtures plain = Fixtures.ledger(Fixtures.TIME_MS + 1);
  private int number;

  /// One block each.
  private void put(TestNode node, Fixtures into, int blocks) throws Exception {
    for (int i = 0; i < blocks; i++) {
      DraftOp put = DraftOp.put(KEY, Bytes.utf8("value " + number));
      node.append(into, into.writing(number++, put));
    }
  }

  private static long jsnAt(TestNode node, Fixtures of, long height) throws Exception {
    ProvenState state = node.node.state(of.strand(), KEY, height, true);
    return ((StateAnswer.Present) state.answer()).entry().jsn().value();
  }

  @Test
  void theOperatorSeesAndDropsThem() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      node.found(plain);
      assertThat(node.node.keptStates()).as("none is used yet").isEmpty();
      put(node, ledger, 10);
      LedgerId id = ledger.strand().ledger();
      KeptState kept = node.node.keptStates().getFirst();
      assertThat(node.node.keptStates()).hasSize(1);
      assertThat(kept.newestHeight()).isEqualTo(10);
      assertThat(kept.oldestHeight()).as("before any operation").isZero();
      long fifth = jsnAt(node, ledger, 5);
      KeptState pruned = node.node.pruneState(id, new StatePruning.Below(10));
      assertThat(pruned).isEqualTo(new KeptState(id, 10, 10, 0, 0, 40, KeptState.AS_NEWEST));
      assertThat(node.node.keptStates()).containsExactly(pruned);
      assertRefused(() -> node.node.state(ledger.strand(), KEY, 9, true), RejectionCode.PRUNED, 10);
      assertThat(jsnAt(node, ledger, StateReads.NEWEST)).isGreaterThan(fifth);
      put(node, ledger, 2);
      assertThat(jsnAt(node, ledger, 11)).isGreaterThan(jsnAt(node, ledger, 10));
      assertThat(node.node.keptStates().getFirst().oldestHeight()).isEqualTo(10);
    }
    try (TestNode node = new TestNode(disk, meta)) {
      assertRefused(() -> node.node.state(ledger.strand(), KEY, 9, true), RejectionCode.PRUNED, 10);
      assertThat(jsnAt(node, ledger, 11)).isGreaterThan(jsnAt(node, ledger, 10));
    }
  }

  /// An operator limits the versions of one ledger; the others keep as many as before.
  @Test
  void aLedgerHasLimitsOfItsOwn() throws Exception {
    Fixtures other = Fixtures.ledger(Fixtures.TIME_MS + 2).withSmallState();
    LedgerId id = ledger.strand().ledger();
    try (TestNode node = new TestNode(disk, meta, everyFewBlocks())) {
      node.found(ledger);
      node.found(other);
      put(node, ledger, 20);
      put(node, other, 20);
      KeptState limited =
          node.node.pruneState(
              id, new StatePruning.Beyond(OptionalInt.of(2), OptionalLong.of(1 << 20)));
      assertThat(limited.olderVersions()).isEqualTo(2);
      assertThat(limited.versionsMax()).isEqualTo(2);
      assertThat(limited.bytesMax()).isEqualTo(1 << 20);
      put(node, ledger, 10);
    }
    damageStates();
    try (TestNode node = new TestNode(disk, meta, everyFewBlocks())) {
      put(node, ledger, 1); // fills the states again
      put(node, other, 1);
      assertThat(olderVersions(node, id)).as("after a rebuild, too").isEqualTo(2);
      assertThat(olderVersions(node, other.strand().ledger())).isBetween(3, 6);
      assertRefused(
          () -> node.node.pruneState(id, beyond(OptionalInt.of(7))), RejectionCode.OUT_OF_RANGE, 6);
      assertRefused(
          () -> node.node.pruneState(id, beyond(OptionalInt.of(-1))),
          RejectionCode.OUT_OF_RANGE,
          6);
      KeptState free = node.node.pruneState(id, beyond(OptionalInt.empty()));
      assertThat(free.versionsMax()).isEqualTo(6);
      put(node, ledger, 20);
      assertThat(olderVersions(node, id)).isBetween(3, 6);
    }
  }

  private static StatePruning beyond(OptionalInt versions) {
    return new StatePruning.Beyond(versions, OptionalLong.empty());
  }

  private static int olderVersions(TestNode node, LedgerId id) {
    return node.node.keptStates().stream()
        .filter(kept -> kept.ledger().equals(id))
        .findFirst()
        .orElseThrow()
        .olderVersions();
  }

  /// Whatever savepoints kept: the state of each block is proven, after a start and after a crash,
  /// too.
  @Test
  void everyBlocksStateIsThereAfterAStart() throws Exception {
    List<Long> jsns = new ArrayList<>();
    try (TestNode node = new TestNode(disk, meta, everyFewBlocks())) {
      node.found(ledger);
      for (int i = 0; i < 30; i++) {
        put(node, ledger, 1);
        jsns.add(jsnAt(node, ledger, StateReads.NEWEST));
      }
      assertEach(node, jsns);
    }
    try (TestNode node = new TestNode(disk, meta, everyFewBlocks())) {
      assertEach(node, jsns);
      KeptState kept = node.node.keptStates().getFirst();
      assertThat(kept.olderVersions()).isBetween(3, 6);
      assertThat(disk.list("past")).as("what was made of them").hasSizeLessThan(20);
    }
    assertThat(disk.list("past")).isEmpty();
    damageStates();
    try (TestNode node = new TestNode(disk, meta, everyFewBlocks())) {
      put(node, ledger, 1); // fills the state again, with its versions
      jsns.add(jsnAt(node, ledger, StateReads.NEWEST));
      assertThat(node.stateRebuilds()).isEqualTo(1);
      assertThat(node.node.keptStates().getFirst().olderVersions()).isBetween(3, 6);
      assertEach(node, jsns);
    }
  }

  /// A service that makes no reader wait for more than a few operations refuses heights that an
  /// earlier setting has left far from the version below them.
  @Test
  void tooManyOperationsAreNotCarriedOutForAReader() throws Exception {
    try (TestNode node = new TestNode(disk, meta, everyFewBlocks())) {
      node.found(ledger);
      put(node, ledger, 12);
      node.node.pruneState(ledger.strand().ledger(), new StatePruning.Below(6));
    }
    ShardConfig impatient = everyFewBlocks().withVersions(new VersionLimits(6, Long.MAX_VALUE, 1));
    try (TestNode node = new TestNode(disk, meta, impatient)) {
      long oldest =
          node.node.pruneState(ledger.strand().ledger(), new StatePruning.Below(0)).oldestHeight();
      assertThat(oldest).isBetween(1L, 6L);
      assertThat(jsnAt(node, ledger, oldest)).isPositive();
      assertRefused(
          () -> node.node.state(ledger.strand(), KEY, oldest + 2, true),
          RejectionCode.PRUNED,
          oldest);
      assertThatThrownBy(() -> node.node.state(ledger.strand(), KEY, oldest + 2, true))
          .hasMessageContaining("`tally rebuild --index state --as-of " + (oldest + 2) + " --out ");
    }
  }

  /// A node of the newest version is damaged, and so is a journal that every rebuild would read:
  /// the state goes back to an older version and is filled again from there.
  @Test
  void aDamagedNewestVersionGoesBackToAnOlderOne() throws Exception {
    List<Long> jsns = new ArrayList<>();
    try (TestNode node = new TestNode(disk, meta, everyFewBlocks())) {
      node.found(ledger);
      for (int i = 0; i < 18; i++) {
        put(node, ledger, 1);
        jsns.add(jsnAt(node, ledger, StateReads.NEWEST));
      }
    }
    damageNewestSlot();
    damageFirst("stream/", KEY);
    try (TestNode node = new TestNode(disk, meta, everyFewBlocks())) {
      assertRefused(
          () -> node.node.state(ledger.strand(), KEY, StateReads.NEWEST, true),
          RejectionCode.DAMAGED,
          -1);
      put(node, ledger, 1);
      assertThat(node.stateRebuilds()).isEqualTo(1);
      for (int height = 12; height <= jsns.size(); height++) {
        assertThat(jsnAt(node, ledger, height)).isEqualTo(jsns.get(height - 1));
      }
      assertThat(jsnAt(node, ledger, StateReads.NEWEST)).isGreaterThan(jsns.getLast());
    }
  }

  /// No slot was used again so far.
  private void damageNewestSlot() throws Exception {
    String name = "forest/2048.slots";
    flip(name, disk.content(name).length - 2048);
  }

  private void damageFirst(String prefix, Bytes content) throws Exception {
    for (String name : disk.names()) {
      String is = new String(disk.content(name), StandardCharsets.ISO_8859_1);
      int at = is.indexOf(new String(content.toArray(), StandardCharsets.ISO_8859_1));
      if (name.startsWith(prefix) && at >= 0) {
        flip(name, at);
        return;
      }
    }
    throw new AssertionError("nothing to damage");
  }

  private void flip(String name, int at) throws Exception {
    try (DiskFile file = disk.open(name)) {
      file.write(at, ByteBuffer.wrap(new byte[] {(byte) (disk.content(name)[at] ^ 1)}));
    }
  }

  private void damageStates() throws Exception {
    for (String name : disk.names()) {
      if (name.endsWith(".slots") && name.startsWith("forest/")) {
        try (DiskFile file = disk.open(name)) {
          file.write(0, ByteBuffer.allocate((int) file.size()));
        }
      }
    }
  }

  private static ShardConfig everyFewBlocks() {
    return TestNode.CONFIG
        .withSavepointEvery(6, Long.MAX_VALUE)
        .withVersions(new VersionLimits(6, Long.MAX_VALUE, 1000));
  }

  private void assertEach(TestNode node, List<Long> jsns) throws Exception {
    for (int height = 1; height <= jsns.size(); height++) {
      assertThat(jsnAt(node, ledger, height)).isEqualTo(jsns.get(height - 1));
    }
    assertThat(node.node.state(ledger.strand(), KEY, 0, true).answer())
        .isEqualTo(new StateAnswer.Absent(KEY, true));
  }

  @Test
  void refusesWhatItMust() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      node.found(plain);
      put(node, ledger, 3);
      List<KeptState> before = node.node.keptStates();
      LedgerId id = ledger.strand().ledger();
      assertRefused(
          () -> node.node.pruneState(id, new StatePruning.Below(4)), RejectionCode.OUT_OF_RANGE, 3);
      assertRefused(
          () -> node.node.pruneState(id, new StatePruning.Below(-1)),
          RejectionCode.OUT_OF_RANGE,
          3);
      assertRefused(
          () -> node.node.pruneState(new LedgerId(Digest.ZERO), new StatePruning.Below(0)),
          RejectionCode.UNKNOWN_LEDGER,
          -1);
      assertRefused(
          () -> node.node.pruneState(plain.strand().ledger(), new StatePruning.Below(0)),
          RejectionCode.FEATURE_NOT_ENABLED,
          -1);
      assertRefused(
          () -> node.node.pruneState(plain.strand().ledger(), new StatePruning.Below(99)),
          RejectionCode.FEATURE_NOT_ENABLED,
          -1);
      assertThat(node.node.keptStates()).isEqualTo(before);
    }
  }

  /// Rest closes arrays. A state stays open, ahead of what is saved, and is not compared again.
  @Test
  void aStrandThatRestedHasItsState() throws Exception {
    ShardConfig config = TestNode.CONFIG.withStrands(2, 1);
    Fixtures other = Fixtures.ledger(Fixtures.TIME_MS + 2).withSmallState();
    List<Fixtures> ledgers = List.of(ledger, other, plain);
    try (TestNode node = new TestNode(disk, meta, config)) {
      for (Fixtures each : ledgers) {
        node.found(each);
      }
      List<Long> jsns = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        put(node, ledger, 1);
        jsns.add(jsnAt(node, ledger, StateReads.NEWEST));
        put(node, other, 1);
        node.append(plain, plain.single(1000 + i));
        assertThat(node.awaitGauge("ledger.strands.awake", 2)).isLessThanOrEqualTo(2);
      }
      for (int height = 1; height <= jsns.size(); height++) {
        assertThat(jsnAt(node, ledger, height)).isEqualTo(jsns.get(height - 1));
      }
      assertThat(jsnAt(node, other, StateReads.NEWEST)).isPositive();
      assertThat(node.stateRebuilds()).isZero();
    }
  }

  private static void assertRefused(ThrowingCallable call, RejectionCode code, long limit) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(code);
              assertThat(refusal.limit().orElse(-1)).isEqualTo(limit);
            });
  }
}

package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.StateQuery;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.shard.StateAsOf;
import io.tallystick.server.state.RebuiltState;
import io.tallystick.server.state.RebuiltStateMaker;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.ForwardingDisk;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: the state of each block is made from the journals alone and answers as the service did,
/// bytes of proofs and heads alike; nothing that looks whole is left of one that was not finished.
/// Method: a small state, whose partitions close and fold, written in pages; all versions of it are
/// pruned before; a crash at each operation.
class RebuiltStateTest {
  private static final int BLOCKS = 30;
  private static final List<Bytes> KEYS =
      IntStream.range(0, 12).mapToObj(i -> Bytes.utf8("key " + i)).toList();

  private InMemoryDisk disk = new InMemoryDisk();
  private InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withSmallState();
  private int number;

  private TestNode start() throws Exception {
    return new TestNode(
        disk, meta, TestNode.TINY_SEGMENTS, TestNode.CONFIG, Fixtures.TIME_MS + number);
  }

  /// One block: two keys are written, or one is and another deleted.
  private void write(TestNode node) throws Exception {
    Bytes first = KEYS.get(number % 11);
    Bytes second = KEYS.get((number + 5) % 11);
    DraftOp other =
        number % 3 == 0
            ? DraftOp.delete(second)
            : DraftOp.put(second, Bytes.utf8("other value " + number));
    node.append(
        ledger, ledger.writing(number, DraftOp.put(first, Bytes.utf8("value " + number)), other));
    number++;
  }

  private RebuiltStateMaker.Made make(Disk to, long height)
      throws IOException, CorruptStreamException, RequestRejectedException {
    try (LocalStreamStore streams =
        LocalStreamStore.openDeterministic(disk, "stream", TestNode.TINY_SEGMENTS, new Random(1))) {
      ShardStorage storage =
          new ShardStorage(
              disk,
              meta,
              streams,
              new StreamId(0),
              new LocalEpochs(meta, streams),
              () -> Instant.ofEpochMilli(Fixtures.TIME_MS));
      return new StateAsOf(storage, BatchHasher.cpu(), TestNode.signer(Fixtures.RECEIPT))
          .make(ledger.strand().ledger(), height, () -> to, (_, _) -> {});
    }
  }

  private static StateQuery all(long height) {
    return new StateQuery(Bytes.EMPTY, Optional.empty(), 1000, height, true);
  }

  private static void assertSame(ProvenState made, ProvenState served) {
    assertThat(made.answer()).isEqualTo(served.answer());
    assertThat(made.proof().encode()).isEqualTo(served.proof().encode());
    assertThat(made.value()).isEqualTo(served.value());
    assertThat(made.head()).isEqualTo(served.head());
  }

  @Test
  void eachBlocksStateAnswersAsTheServiceDid() throws Exception {
    InMemoryDisk[] folders = new InMemoryDisk[BLOCKS + 1];
    try (TestNode node = start()) {
      node.found(ledger);
      for (int i = 0; i < BLOCKS; i++) {
        write(node);
      }
    }
    for (int height = 0; height <= BLOCKS; height++) {
      folders[height] = new InMemoryDisk();
      RebuiltStateMaker.Made made = make(folders[height], height);
      assertThat(made.height()).isEqualTo(height);
      assertThat(made.erased() + made.damaged()).isZero();
      assertThat(folders[height].list("")).allMatch(name -> name.matches("state|values|forest"));
    }
    try (TestNode node = start()) {
      for (int height = 0; height <= BLOCKS; height++) {
        try (RebuiltState state = RebuiltState.open(folders[height])) {
          for (Bytes key : KEYS) {
            assertSame(state.state(key), node.node.state(ledger.strand(), key, height, true));
          }
          assertThat(state.states(KEYS))
              .isEqualTo(node.node.states(ledger.strand(), KEYS, height, true));
          ProvenStatePage served = node.node.statePage(ledger.strand(), all(height));
          assertThat(state.page(all(0)).proof().encode()).isEqualTo(served.proof().encode());
          assertThat(state.page(all(0)).values()).isEqualTo(served.values());
        }
      }
    }
    assertThat(folders[BLOCKS].names()).as("partitions").hasSizeGreaterThan(4);
    assertThatThrownBy(() -> make(new InMemoryDisk(), BLOCKS + 1))
        .hasMessage("block %d does not exist; the newest is %d", BLOCKS + 1, BLOCKS);
  }

  @Test
  void whatACrashLeavesIsWholeOrDoesNotLookSo() throws Exception {
    try (TestNode node = start()) {
      node.found(ledger);
      for (int i = 0; i < 8; i++) {
        write(node);
      }
    }
    CrashPlan clean = CrashPlan.never();
    make(new CrashingDisk(clean), 7);
    int whole = 0;
    for (int at = 0; at < clean.operations(); at++) {
      CrashingDisk to = new CrashingDisk(CrashPlan.at(at, new SplittableRandom(at)));
      assertThatThrownBy(() -> make(to, 7)).isInstanceOf(IOException.class);
      InMemoryDisk left = to.afterCrash();
      if (RebuiltState.isIn(left)) {
        whole++;
        try (RebuiltState state = RebuiltState.open(left)) {
          assertThat(state.page(all(0)).entries()).isNotEmpty();
        }
      }
    }
    assertThat(whole).as("crashes after the last step").isLessThan(clean.operations() / 4);
  }

  /// The last step fails; or the tree does not prove the block's seal, which is found first.
  @Test
  void aFailureLeavesTheFolderEmpty() throws Exception {
    Digest before;
    try (TestNode node = start()) {
      node.found(ledger);
      for (int i = 0; i < 8; i++) {
        write(node);
      }
      long sealed = node.node.blockAt(ledger.strand(), 7).sealJsn();
      before = TreeHasher.leafHash(node.node.journal(ledger.strand(), sealed - 1, false).leaf());
    }
    InMemoryDisk to = new InMemoryDisk();
    Disk failing =
        new ForwardingDisk(to) {
          @Override
          public void rename(String from, String name) throws IOException {
            if (name.equals("state")) {
              assertThat(to.names()).contains("values", from);
              throw new IOException("Input/output error (injected)");
            }
            super.rename(from, name);
          }
        };
    assertThatThrownBy(() -> make(failing, 7)).hasMessage("Input/output error (injected)");
    assertThat(to.names()).isEmpty();
    meta.scan(
        Bytes.utf8("array/"),
        null,
        (key, row) -> {
          String damaged = row.hex().replace(before.hex(), Digest.ZERO.hex());
          meta.write(new MetaBatch().put(key, Bytes.wrap(HexFormat.of().parseHex(damaged))));
          return true;
        });
    assertThat(catchThrowableOfType(RequestRejectedException.class, () -> make(to, 7)))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(RejectionCode.DAMAGED));
    assertThat(to.names()).isEmpty();
  }

  /// A purge leaves the state of its block, and the values that were current when it was asked for.
  @Test
  void beginsAtTheLastPurge() throws Exception {
    long purged = 9;
    List<ProvenStatePage> before;
    try (TestNode node = start()) {
      node.found(ledger);
      for (int i = 0; i < 14; i++) {
        write(node);
      }
      before =
          List.of(
              node.node.statePage(ledger.strand(), all(purged)),
              node.node.statePage(ledger.strand(), all(14)));
      Snapshot snapshot =
          Snapshot.decode(
              node.node.purges().orElseThrow().prepare(ledger.strand(), purged, List.of()));
      node.append(
          ledger,
          ledger.govern(
              Kind.PURGE,
              new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
              Fixtures.ALICE));
      node.clock.set(Fixtures.TIME_MS + 1_000);
      OccultStory.awaitErased(node, 1);
    }
    assertThat(
            catchThrowableOfType(
                RequestRejectedException.class, () -> make(new InMemoryDisk(), purged - 1)))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(RejectionCode.PRUNED))
        .satisfies(refused -> assertThat(refused.limit()).hasValue(purged));
    for (ProvenStatePage served : before) {
      long height = served.head().height();
      InMemoryDisk to = new InMemoryDisk();
      RebuiltStateMaker.Made made = make(to, height);
      assertThat(made.erased() > 0).as("replaced since, block %d", height).isEqualTo(height < 14);
      try (RebuiltState state = RebuiltState.open(to)) {
        ProvenStatePage page = state.page(all(0));
        assertThat(page.proof().encode()).isEqualTo(served.proof().encode());
        int erased = 0;
        for (int i = 0; i < page.values().size(); i++) {
          boolean gone = page.values().get(i).state() == BodyState.ERASED;
          erased += gone ? 1 : 0;
          assertThat(gone || page.values().get(i).equals(served.values().get(i))).isTrue();
        }
        assertThat(erased).isEqualTo((int) made.erased());
      }
    }
    assertThat(make(new InMemoryDisk(), 15).erased()).isZero();
  }

  /// What only a start applies is not taken for missing.
  @Test
  void saysThatAStartComesFirst() throws Exception {
    try (TestNode node = start()) {
      node.found(ledger);
      write(node);
    }
    InMemoryDisk behind;
    InMemoryMetaStore saved;
    try (TestNode node = start()) {
      saved = meta.copy();
      write(node);
      behind = disk.copy();
    }
    disk = behind;
    meta = saved;
    assertThat(make(new InMemoryDisk(), 1).height()).isEqualTo(1);
    assertThatThrownBy(() -> make(new InMemoryDisk(), 2))
        .hasMessageContaining("block 2 does not exist; the newest is 1")
        .hasMessageContaining("start and stop the service first");
  }
}

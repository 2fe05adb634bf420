package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Ops;
import io.tallystick.journal.SealLeaf;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStatePage;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StateQuery;
import io.tallystick.node.StateReads;
import io.tallystick.receipt.Receipt;
import io.tallystick.state.LookupProof;
import io.tallystick.state.RangeOfState;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileItems;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Goal: every seal holds the root of the state as its definition says, and reads give what the
/// journals wrote, proven, as of every block that is kept. Method: append random operations; keep a
/// map of each height and the reference forest beside, and compare; verify every proof as a client
/// would, under the head that the answer names.
class ShardStateTest {
  private static final int KEYS = 30;

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withSmallState();
  private final StateParams params = Objects.requireNonNull(ledger.params().stateParams());
  private final StateModel model = new StateModel(params);
  private final SplittableRandom random = new SplittableRandom(25);
  private int number;

  private static Bytes key(int i) {
    return Bytes.utf8("key " + i);
  }

  private List<DraftOp> randomOps() {
    List<DraftOp> ops = new ArrayList<>();
    int first = random.nextInt(KEYS);
    int count = 1 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      Bytes key = key((first + i * 7) % KEYS);
      int bytes = random.nextInt(10) == 0 ? 300 : random.nextInt(40);
      ops.add(
          random.nextInt(4) == 0
              ? DraftOp.delete(key)
              : DraftOp.put(key, Bytes.utf8("v" + number + "x".repeat(bytes))));
    }
    return ops;
  }

  private void append(TestNode node, List<DraftOp> ops) throws Exception {
    int salt = number++;
    Submission submission = ledger.writing(salt, ops.toArray(DraftOp[]::new));
    long jsn = node.append(ledger, submission).committed().firstJsn();
    model.block(jsn, Fixtures.bytes32("salt " + salt), ops);
    BlockView newest = node.node.newestBlock(ledger.strand());
    assertThat(newest.height()).isEqualTo(model.height());
    assertThat(((SealLeaf) Leaf.decode(newest.sealLeaf())).stateRoot())
        .as("state root of block %d", newest.height())
        .isEqualTo(model.root(model.height()));
  }

  private void fill(TestNode node, int blocks) throws Exception {
    for (int i = 0; i < blocks; i++) {
      append(node, randomOps());
    }
  }

  /// What a client makes of the receipt of the head.
  private SignedHead head(TestNode node, BlockView block) throws Exception {
    ServiceKeys keys = node.keys();
    return Receipt.decode(block.headReceipt())
        .verify(block.sealLeaf(), ledger.strand(), keys, TestNode.SIGNATURES);
  }

  private void checkKey(TestNode node, Bytes key, long height, long asked) throws Exception {
    ProvenState state = node.node.state(ledger.strand(), key, asked, true);
    checkVersion(node, state, key, height);
  }

  private void checkVersion(TestNode node, ProvenState state, Bytes key, long height)
      throws Exception {
    assertThat(state.head().height()).isEqualTo(height);
    StateAnswer answer =
        LookupProof.decode(state.proof().encode()).verify(key, head(node, state.head()));
    assertThat(state.answer()).isEqualTo(answer);
    Optional<StateModel.Held> held = Optional.ofNullable(model.at(height).get(key));
    switch (answer) {
      case StateAnswer.Present(StateEntry entry) -> {
        assertThat(held.map(StateModel.Held::entry)).contains(entry);
        assertThat(state.value().value().orElseThrow().value())
            .isEqualTo(held.flatMap(StateModel.Held::value).orElseThrow());
        state.value().value().orElseThrow().verify(entry);
      }
      case StateAnswer.Deleted(StateEntry entry) ->
          assertThat(held.map(StateModel.Held::entry)).contains(entry);
      case StateAnswer.Absent(Bytes _, boolean neverWritten) -> {
        assertThat(held.flatMap(StateModel.Held::value)).isEmpty();
        assertThat(neverWritten && held.isPresent()).isFalse();
      }
    }
  }

  private void checkPages(TestNode node, long height) throws Exception {
    List<StateModel.Held> found = new ArrayList<>();
    Optional<Bytes> from = Optional.of(Bytes.EMPTY);
    while (from.isPresent()) {
      int limit = 1 + random.nextInt(9);
      StateQuery query = new StateQuery(from.get(), Optional.empty(), limit, height, true);
      ProvenStatePage page = node.node.statePage(ledger.strand(), query);
      RangeOfState proof = RangeOfState.decode(page.proof().encode());
      assertThat(proof.verify(from.get(), Optional.empty(), head(node, page.head())))
          .isEqualTo(page.entries());
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(limit);
      for (int i = 0; i < page.entries().size(); i++) {
        ReadValue value = page.values().get(i);
        found.add(
            new StateModel.Held(
                page.entries().get(i), value.value().map(opened -> opened.value())));
      }
      from = page.next();
    }
    assertThat(found).isEqualTo(model.present(height));
  }

  private void checkHeight(TestNode node, long height) throws Exception {
    for (int i = 0; i < KEYS; i++) {
      checkKey(node, key(i), height, height);
    }
    checkKey(node, Bytes.utf8("never written"), height, height);
    checkPages(node, height);
  }

  @Test
  void readsAreTheModelsAtEveryHeight() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      checkHeight(node, 0);
      fill(node, 90);
      long newest = model.height();
      for (long height = 0; height <= newest; height += 1 + random.nextInt(4)) {
        checkHeight(node, height);
      }
      checkKey(node, key(1), newest, StateReads.NEWEST);
      assertRefused(
          () -> node.node.state(ledger.strand(), key(1), newest + 1, true),
          RejectionCode.OUT_OF_RANGE,
          newest);
    }
  }

  /// After a start the state of each block is made from a version that a savepoint kept; blocks
  /// that change nothing keep it.
  @Test
  void aStartKeepsAllVersions() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      fill(node, 70);
    }
    try (TestNode node = new TestNode(disk, meta)) {
      long newest = model.height();
      for (long height = 0; height <= newest; height += 1 + random.nextInt(8)) {
        checkHeight(node, height);
      }
      checkHeight(node, newest);
      node.append(ledger, ledger.single(10_000));
      model.block(0, Bytes.EMPTY, List.of());
      checkHeight(node, newest + 1);
      fill(node, 5);
      checkHeight(node, newest);
      checkHeight(node, newest + 3);
    }
  }

  /// The meta store of the beginning: all blocks are sealed again, to the same hashes.
  @Test
  void replaySealsTheSameRoots() throws Exception {
    InMemoryMetaStore early;
    BlockView newest;
    try (TestNode node = new TestNode(disk, meta)) {
      early = meta.copy();
      node.found(ledger);
      fill(node, 60);
      newest = node.node.newestBlock(ledger.strand());
    }
    try (TestNode node = new TestNode(disk, early)) {
      assertThat(node.node.newestBlock(ledger.strand())).isEqualTo(newest);
      checkHeight(node, model.height());
      checkHeight(node, model.height() - 20);
      fill(node, 3);
    }
  }

  @Test
  void operationsAreReadWithTheirJournals() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      List<Bytes> want = new ArrayList<>(List.of(Bytes.EMPTY, Bytes.EMPTY));
      Submission plain = ledger.single(5_000);
      Submission batch =
          ledger.submission(
              List.of(
                  ledger.draft(1).withOps(randomOps()).build(),
                  ledger.request(2),
                  ledger.draft(3).withOps(randomOps()).build()),
              Fixtures.ALICE);
      for (Submission submission :
          List.of(plain, batch, ledger.writing(4, DraftOp.delete(key(1))))) {
        node.append(ledger, submission);
        submission.requests().forEach(request -> want.add(request.ops()));
        want.add(Bytes.EMPTY);
      }
      List<Bytes> walked = new ArrayList<>();
      node.node.readLog(ledger.strand(), 0, 0, true, (_, _, _, ops, _, _, _) -> walked.add(ops));
      assertThat(walked).isEqualTo(want);
      for (int jsn = 0; jsn < want.size(); jsn++) {
        assertThat(node.node.journal(ledger.strand(), jsn, false).ops()).isEqualTo(want.get(jsn));
        assertThat(node.node.provenJournal(ledger.strand(), jsn, 0).journal().ops())
            .isEqualTo(want.get(jsn));
      }
      Bytes file = node.node.bundle(ledger.strand(), TileBundle.OPS, 0, want.size()).bytes();
      TileItems items = TileBundle.OPS.decode(file, want.size());
      for (int jsn = 0; jsn < want.size(); jsn++) {
        assertThat(items.item(jsn)).isEqualTo(want.get(jsn));
        Ops.decode(items.item(jsn));
      }
    }
  }

  /// Pages with large values end early, and go on.
  @Test
  void aPageEndsBeforeItsValuesAreTooMany() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      for (int i = 0; i < 3; i++) {
        append(node, List.of(DraftOp.put(key(i), Bytes.wrap(new byte[400 << 10]))));
      }
      StateQuery all = new StateQuery(Bytes.EMPTY, Optional.empty(), 100, StateReads.NEWEST, true);
      ProvenStatePage page = node.node.statePage(ledger.strand(), all);
      assertThat(page.entries()).hasSize(1);
      assertThat(page.next()).contains(Bytes.utf8("key 0\0"));
      StateQuery keys = new StateQuery(Bytes.EMPTY, Optional.empty(), 9, StateReads.NEWEST, false);
      assertThat(node.node.statePage(ledger.strand(), keys).entries()).hasSize(3);
      checkPages(node, model.height());
    }
  }

  /// A body is read whole, however small the value in it is.
  @Test
  void aPageEndsBeforeTheBodiesItReadsAreTooMany() throws Exception {
    int journals = 14;
    int bodyBytes = 900 << 10;
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      for (int i = 0; i < journals; i++) {
        DraftOp large = DraftOp.put(Bytes.utf8("large " + i), Bytes.wrap(new byte[bodyBytes]));
        append(node, List.of(DraftOp.put(key(i), Bytes.utf8("v" + i)), large));
      }
      List<StateEntry> found = new ArrayList<>();
      Optional<Bytes> from = Optional.of(Bytes.EMPTY);
      Optional<Bytes> to = Optional.of(Bytes.utf8("l"));
      while (from.isPresent()) {
        StateQuery query = new StateQuery(from.get(), to, 1000, StateReads.NEWEST, true);
        ProvenStatePage page = node.node.statePage(ledger.strand(), query);
        assertThat(page.entries()).hasSizeBetween(1, (8 << 20) / bodyBytes);
        assertThat(page.values()).allMatch(value -> value.state() == BodyState.PRESENT);
        found.addAll(page.entries());
        from = page.next();
      }
      assertThat(found).hasSize(journals).doesNotHaveDuplicates();
    }
  }

  @Test
  void aDamagedValueIsNamedAndTheOthersAreRead() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      append(node, List.of(DraftOp.put(key(1), Bytes.utf8("first value"))));
      append(node, List.of(DraftOp.put(key(2), Bytes.utf8("second value"))));
    }
    StoredStream stored = new StoredStream(disk);
    for (StoredStream.Frame frame : stored.frames()) {
      byte[] content = disk.content(frame.segment());
      int at = Bytes.wrap(content).hex().indexOf(Bytes.utf8("first value").hex()) / 2;
      if (at > frame.position()) {
        disk.overwrite(frame.segment(), at, new byte[] {'X'});
        break;
      }
    }
    try (TestNode node = new TestNode(disk, meta)) {
      assertThat(node.node.state(ledger.strand(), key(1), StateReads.NEWEST, true).value())
          .isEqualTo(ReadValue.missing(BodyState.DAMAGED));
      checkKey(node, key(2), 2, StateReads.NEWEST);
      StateQuery all = new StateQuery(Bytes.EMPTY, Optional.empty(), 9, StateReads.NEWEST, true);
      ProvenStatePage page = node.node.statePage(ledger.strand(), all);
      assertThat(page.values())
          .extracting(ReadValue::state)
          .containsExactly(BodyState.DAMAGED, BodyState.PRESENT);
    }
  }

  @Test
  void damagedOperationsAreRefusedNamingTheirJournal() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      append(node, List.of(DraftOp.put(key(1), Bytes.utf8("first"))));
      append(node, List.of(DraftOp.put(key(2), Bytes.utf8("second"))));
    }
    StoredStream stored = new StoredStream(disk);
    int spoilt = 0;
    for (StoredStream.Frame frame : stored.frames()) {
      byte[] infos = stored.infos(frame);
      int at = Bytes.wrap(infos).hex().indexOf(key(1).hex()) / 2;
      if (at > 0) {
        infos[at] ^= 1;
        stored.replaceInfos(frame, infos);
        spoilt++;
      }
    }
    assertThat(spoilt).isEqualTo(1);
    try (TestNode node = new TestNode(disk, meta)) {
      assertDamaged(() -> node.node.journal(ledger.strand(), 2, false));
      assertDamaged(() -> node.node.provenJournal(ledger.strand(), 2, 0));
      assertDamaged(() -> node.node.bundle(ledger.strand(), TileBundle.OPS, 0, 6));
      List<Long> walked = new ArrayList<>();
      assertDamaged(() ->
          node.node.readLog(
              ledger.strand(), 0, 0, false, (jsn, _, _, _, _, _, _) -> walked.add(jsn)));
      assertThat(walked).containsExactly(0L, 1L);
      assertThat(node.node.state(ledger.strand(), key(1), StateReads.NEWEST, true).value())
          .isEqualTo(ReadValue.missing(BodyState.DAMAGED));
      checkKey(node, key(2), 2, StateReads.NEWEST);
    }
  }

  private static void assertDamaged(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(RejectionCode.DAMAGED);
              assertThat(refusal.jsn()).hasValue(2);
            })
        .hasMessageContaining("the header has 1 with root");
  }

  @Test
  void refusesWhatItMust() throws Exception {
    Fixtures plain = Fixtures.ledger(Fixtures.TIME_MS + 1);
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      node.found(plain);
      assertRefused(
          () -> node.append(plain, plain.writing(1, DraftOp.delete(key(1)))),
          RejectionCode.FEATURE_NOT_ENABLED,
          -1);
      assertRefused(
          () -> node.node.state(plain.strand(), key(1), StateReads.NEWEST, true),
          RejectionCode.FEATURE_NOT_ENABLED,
          -1);
      assertRefused(
          () -> node.node.bundle(plain.strand(), TileBundle.OPS, 0, 1),
          RejectionCode.FEATURE_NOT_ENABLED,
          -1);
      for (Bytes key : List.of(Bytes.EMPTY, Bytes.wrap(new byte[257]))) {
        assertRefused(
            () -> node.node.state(ledger.strand(), key, 0, true),
            RejectionCode.OPERATION_INVALID,
            256);
      }
      StateQuery empty = new StateQuery(key(1), Optional.of(key(1)), 1, 0, true);
      assertRefused(() -> node.node.statePage(ledger.strand(), empty), RejectionCode.MALFORMED, -1);
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

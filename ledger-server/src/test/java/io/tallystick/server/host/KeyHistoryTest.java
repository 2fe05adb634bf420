package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.SignedRequest;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.HistoryQuery;
import io.tallystick.node.KeyVersion;
import io.tallystick.node.StateHistory;
import io.tallystick.receipt.Receipt;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Goal: all writes of a key are found in the log, each proven, whatever versions of the state are
/// kept, and what is shown of the states between them is right. Method: random writes, a list of
/// them beside; pages of any size; starts that keep no older version; a purge; damage.
class KeyHistoryTest {
  private static final int KEYS = 6;

  /// @param value empty: a deletion
  private record Wrote(long jsn, Optional<Bytes> value) {}

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withSmallState();
  private final SplittableRandom random = new SplittableRandom(40);
  private final Map<Bytes, List<Wrote>> model = new HashMap<>();
  private int number = 1;

  private static Bytes key(int i) {
    return Bytes.utf8("key " + i);
  }

  private long append(TestNode node, DraftOp... ops) throws Exception {
    int salt = number++;
    long jsn = node.append(ledger, ledger.writing(salt, ops)).committed().firstJsn();
    for (DraftOp op : ops) {
      Optional<Bytes> value =
          op instanceof DraftOp.Put put ? Optional.of(put.value()) : Optional.empty();
      model.computeIfAbsent(op.key(), _ -> new ArrayList<>()).addFirst(new Wrote(jsn, value));
    }
    return jsn;
  }

  private void fill(TestNode node, int blocks) throws Exception {
    for (int i = 0; i < blocks; i++) {
      int first = random.nextInt(KEYS);
      Bytes other = key((first + 1 + random.nextInt(KEYS - 1)) % KEYS);
      switch (random.nextInt(4)) {
        case 0 -> node.append(ledger, ledger.single(number++));
        case 1 -> append(node, DraftOp.delete(key(first)));
        default ->
            append(
                node,
                DraftOp.put(other, Bytes.utf8("o" + number)),
                DraftOp.put(key(first), Bytes.utf8("v" + number)));
      }
    }
  }

  private static HistoryQuery query(Bytes key, int limit) {
    return new HistoryQuery(key, 0, OptionalLong.empty(), OptionalLong.empty(), limit, true, true);
  }

  private StateHistory read(TestNode node, HistoryQuery query) throws Exception {
    return node.node.stateHistory(ledger.strand(), query);
  }

  /// All versions, in pages of one tree, and the last page.
  private StateHistory readAll(TestNode node, Bytes key, int limit, List<KeyVersion> into)
      throws Exception {
    StateHistory page = read(node, query(key, limit));
    into.addAll(page.versions());
    while (!page.over()) {
      OptionalLong newer =
          into.isEmpty()
              ? OptionalLong.empty()
              : OptionalLong.of(into.getLast().write().jsn().value());
      page =
          read(
              node,
              new HistoryQuery(
                  key, page.size(), OptionalLong.of(page.scannedTo()), newer, limit, true, true));
      into.addAll(page.versions());
    }
    return page;
  }

  private SignedHead head(TestNode node, BlockView block) throws Exception {
    return Receipt.decode(block.headReceipt())
        .verify(block.sealLeaf(), ledger.strand(), node.keys(), TestNode.SIGNATURES);
  }

  private void check(TestNode node, Bytes key, List<KeyVersion> versions) throws Exception {
    List<Wrote> wanted = model.getOrDefault(key, List.of());
    SignedHead head = head(node, node.node.newestBlock(ledger.strand()));
    assertThat(versions).as("of %s", key).hasSameSizeAs(wanted);
    for (int i = 0; i < versions.size(); i++) {
      KeyVersion version = versions.get(i);
      assertThat(version.proof().verify(key, head)).isEqualTo(version.write());
      assertThat(version.write().jsn().value()).isEqualTo(wanted.get(i).jsn);
      assertThat(version.value().value().map(it -> it.value())).isEqualTo(wanted.get(i).value);
      assertThat(version.write().height())
          .isEqualTo(node.node.blockOf(ledger.strand(), wanted.get(i).jsn).height());
      if (version.still().isPresent()) {
        StateEntry entry = version.write().entry();
        StateAnswer answer = version.still().get().answer();
        assertThat(entry.isPresent() || answer instanceof StateAnswer.Absent)
            .isEqualTo(!answer.equals(new StateAnswer.Deleted(entry)));
        assertThat(!entry.isPresent() || answer.equals(new StateAnswer.Present(entry))).isTrue();
      }
    }
  }

  @Test
  void allWritesAreFoundInPagesOfAnySizeAlsoAfterAStart() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      fill(node, 60);
      for (int i = 0; i < KEYS; i++) {
        List<KeyVersion> versions = new ArrayList<>();
        StateHistory last = readAll(node, key(i), 1 + random.nextInt(7), versions);
        check(node, key(i), versions);
        assertThat(versions).allMatch(version -> version.still().isPresent());
        assertThat(last.before().orElseThrow().answer())
            .isEqualTo(new StateAnswer.Absent(key(i), true));
        assertThat(last.scannedTo()).isZero();
      }
    }
    try (TestNode node = new TestNode(disk, meta)) {
      for (int i = 0; i <= KEYS; i++) {
        List<KeyVersion> versions = new ArrayList<>();
        StateHistory last = readAll(node, key(i), 100, versions);
        check(node, key(i), versions);
        assertThat(versions).allMatch(version -> version.still().isPresent());
        assertThat(last.before().orElseThrow().answer())
            .isEqualTo(new StateAnswer.Absent(key(i), true));
      }
    }
  }

  /// Nothing of the state shows what a write of one block replaced within it.
  @Test
  void writesOfOneBlockAreAllShownAndTheLastWasTheState() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      append(node, DraftOp.put(key(1), Bytes.utf8("before")));
      List<SignedRequest> together =
          IntStream.range(50, 55)
              .mapToObj(i ->
                  ledger.draft(i).withOps(List.of(DraftOp.put(key(1), Bytes.utf8("" + i)))).build())
              .toList();
      node.append(ledger, ledger.submission(together, Fixtures.ALICE));
      append(node, DraftOp.put(key(1), Bytes.utf8("behind")));
      for (int limit : new int[] {1, 3, 100}) {
        List<KeyVersion> versions = new ArrayList<>();
        StateHistory last = readAll(node, key(1), limit, versions);
        assertThat(versions).hasSize(7);
        assertThat(versions.subList(1, 6)).allMatch(each -> each.write().height() == 2);
        assertThat(versions)
            .extracting(each -> each.still().isPresent())
            .containsExactly(true, true, false, false, false, false, true);
        assertThat(last.before()).isPresent();
      }
    }
  }

  @Test
  void aHistoryEndsWithThePurge() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      append(node, DraftOp.put(key(1), Bytes.utf8("purged")));
      append(node, DraftOp.delete(key(2)));
      long height = node.node.newestBlock(ledger.strand()).height();
      append(node, DraftOp.put(key(1), Bytes.utf8("kept")));
      Snapshot snapshot =
          Snapshot.decode(
              node.node.purges().orElseThrow().prepare(ledger.strand(), height, List.of()));
      long purge =
          node.append(
                  ledger,
                  ledger.govern(
                      Kind.PURGE,
                      new Extension.Purge(
                          snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
                      Fixtures.ALICE))
              .committed()
              .firstJsn();
      StateHistory history = read(node, query(key(1), 9));
      assertThat(history.versions()).hasSize(1);
      assertThat(history.over()).isTrue();
      assertThat(history.purgeJsn()).hasValue(purge);
      assertThat(history.scannedTo()).isEqualTo(snapshot.firstKept().value());
      assertThat(read(node, query(key(2), 9)).versions()).isEmpty();
    }
  }

  @Test
  void aPageEndsWhereItsBodiesWouldBeTooManyBytes() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      for (int i = 0; i < 14; i++) {
        append(
            node,
            DraftOp.put(key(1), Bytes.utf8("v" + i)),
            DraftOp.put(Bytes.utf8("large"), Bytes.wrap(new byte[900 << 10])));
      }
      StateHistory first = read(node, query(key(1), 100));
      assertThat(first.versions()).hasSizeBetween(2, 9);
      assertThat(first.over()).isFalse();
      List<KeyVersion> versions = new ArrayList<>();
      StateHistory unused = readAll(node, key(1), 100, versions);
      assertThat(unused.over()).isTrue();
      check(node, key(1), versions);
    }
  }

  @Test
  void damageEndsAPageAndIsNamedByTheNext() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      append(node, DraftOp.put(key(1), Bytes.utf8("first")));
      append(node, DraftOp.put(key(2), Bytes.utf8("second")));
      append(node, DraftOp.put(key(1), Bytes.utf8("third")));
    }
    StoredStream stored = new StoredStream(disk);
    for (StoredStream.Frame frame : stored.frames()) {
      byte[] infos = stored.infos(frame);
      int at = Bytes.wrap(infos).hex().indexOf(key(2).hex()) / 2;
      if (at > 0) {
        infos[at] ^= 1; // the key is not there any more
        stored.replaceInfos(frame, infos);
      }
    }
    try (TestNode node = new TestNode(disk, meta)) {
      StateHistory page = read(node, query(key(1), 9));
      assertThat(page.versions()).hasSize(1);
      assertThat(page.over()).isFalse();
      HistoryQuery next =
          new HistoryQuery(
              key(1),
              page.size(),
              OptionalLong.of(page.scannedTo()),
              OptionalLong.of(page.versions().getFirst().write().jsn().value()),
              9,
              true,
              true);
      assertRefused(() -> read(node, next), RejectionCode.DAMAGED);
      assertThat(page.versions().getFirst().value().state()).isEqualTo(BodyState.PRESENT);
    }
  }

  @Test
  void refusesWhatItMust() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      fill(node, 5);
      long size = node.node.newestSize(ledger.strand());
      OptionalLong none = OptionalLong.empty();
      assertRefused(() -> read(node, query(Bytes.EMPTY, 1)), RejectionCode.OPERATION_INVALID);
      assertRefused(
          () -> read(node, query(Bytes.wrap(new byte[257]), 1)), RejectionCode.OPERATION_INVALID);
      for (long wrong : new long[] {size - 1, 1}) {
        HistoryQuery unsigned = new HistoryQuery(key(1), wrong, none, none, 1, true, true);
        assertRefused(() -> read(node, unsigned), RejectionCode.OUT_OF_RANGE);
      }
      HistoryQuery future = new HistoryQuery(key(1), size + 1, none, none, 1, true, true);
      assertRefused(() -> read(node, future), RejectionCode.FUTURE_SIZE);
      for (long newer : new long[] {0, 1, 3, size}) {
        HistoryQuery query =
            new HistoryQuery(
                key(1), size, OptionalLong.of(4), OptionalLong.of(newer), 1, true, true);
        assertRefused(() -> read(node, query), RejectionCode.MALFORMED);
      }
    }
  }

  private static void assertRefused(ThrowingCallable call, RejectionCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RequestRejectedException.class, refusal -> assertThat(refusal.code()).isEqualTo(code));
  }
}

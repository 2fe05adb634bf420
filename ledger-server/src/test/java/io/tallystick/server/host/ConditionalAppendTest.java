package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Op;
import io.tallystick.journal.Precondition;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.ProvenState;
import io.tallystick.node.StateReads;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: an append whose preconditions hold is committed, any other leaves no trace; many at a time
/// lose no update. Method: appends to a node, alone and from several threads.
class ConditionalAppendTest {
  private static final Bytes KEY = Bytes.utf8("counter");

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withSmallState();

  private static DraftOp put(String value, Precondition precondition) {
    return new DraftOp.Put(KEY, Bytes.utf8(value), precondition);
  }

  private static Precondition version(long jsn) {
    return new Precondition.IfVersion(new Jsn(jsn));
  }

  private long append(TestNode node, int number, DraftOp... ops) throws RequestRejectedException {
    return node.append(ledger, ledger.writing(number, ops)).committed().firstJsn();
  }

  private RequestRejectedException refused(TestNode node, Submission submission) throws Exception {
    BlockView before = node.node.newestBlock(ledger.strand());
    List<RequestRejectedException> refusals = new ArrayList<>();
    assertThatThrownBy(() -> node.append(ledger, submission))
        .isInstanceOfSatisfying(RequestRejectedException.class, refusals::add);
    RequestRejectedException refusal = refusals.getFirst();
    assertThat(refusal.code()).isEqualTo(RejectionCode.PRECONDITION_FAILED);
    assertThat(node.node.newestBlock(ledger.strand())).isEqualTo(before);
    return refusal;
  }

  @Test
  void namesOperationKeyAndTheJournalThatStands() throws Exception {
    Precondition absent = new Precondition.IfAbsent();
    DraftOp other = DraftOp.put(Bytes.utf8("other"), KEY);
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      assertThat(refused(node, ledger.writing(1, put("a", version(7)))))
          .hasMessageContaining("operation 0 wants key \"counter\" to hold the value of journal 7")
          .returns(OptionalInt.of(0), RequestRejectedException::operation)
          .returns(Optional.of(KEY), RequestRejectedException::key)
          .returns(OptionalLong.empty(), RequestRejectedException::jsn);
      long first = append(node, 2, put("a", absent));
      assertThat(refused(node, ledger.writing(3, other, put("b", absent))))
          .hasMessageContaining("operation 1 wants key \"counter\" to hold no value")
          .hasMessageContaining("journal %d put it", first)
          .returns(OptionalLong.of(first), RequestRejectedException::jsn);
      long second = append(node, 4, put("b", version(first)));
      assertThat(refused(node, ledger.writing(5, put("c", version(first)))).jsn()).hasValue(second);
      Op.Put committed = (Op.Put) put("b", absent).commit(Fixtures.bytes32("salt 4"), 0);
      long third = append(node, 6, put("c", new Precondition.IfCommit(committed.valueCommit())));
      assertThat(
              refused(
                      node,
                      ledger.writing(
                          7, put("d", new Precondition.IfCommit(committed.valueCommit()))))
                  .jsn())
          .hasValue(third);
    }
  }

  /// Whether a tombstone is there still is the fold's business.
  @Test
  void aDeletedKeyIsAbsentAndHasNoVersion() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      append(node, 1, put("a", new Precondition.None()));
      long deleted = append(node, 2, DraftOp.delete(KEY));
      assertThat(refused(node, ledger.writing(3, put("b", version(deleted)))))
          .hasMessageContaining("journal %d deleted it", deleted);
      append(node, 4, put("b", new Precondition.IfAbsent()));
    }
  }

  @Test
  void membersOfABatchSeeEarlierOnesAndOneFailureRefusesAll() throws Exception {
    Precondition absent = new Precondition.IfAbsent();
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      Submission wrong =
          ledger.submission(
              List.of(
                  ledger.draft(1).withOps(List.of(put("a", absent))).build(),
                  ledger.draft(2).withOps(List.of(put("b", absent))).build()),
              Fixtures.ALICE);
      RequestRejectedException refusal = refused(node, wrong);
      assertThat(refusal.index()).isEqualTo(OptionalInt.of(1));
      assertThat(refusal.jsn()).hasValue(2);
      append(node, 3, put("c", absent));
      Submission right =
          ledger.submission(
              List.of(
                  ledger.draft(4).withOps(List.of(put("d", version(2)))).build(),
                  ledger.draft(5).withOps(List.of(put("e", version(4)))).build()),
              Fixtures.ALICE);
      assertThat(node.append(ledger, right).committed().firstJsn()).isEqualTo(4);
    }
  }

  /// What was written before a start is known after it, and a repeat is no second try.
  @Test
  void holdsAcrossAStart() throws Exception {
    Submission first = ledger.writing(1, put("a", new Precondition.IfAbsent()));
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      node.append(ledger, first);
    }
    try (TestNode node = new TestNode(disk, meta)) {
      assertThat(node.append(ledger, first).committed().repeated()).isTrue();
      assertThat(refused(node, ledger.writing(2, put("b", new Precondition.IfAbsent()))).jsn())
          .hasValue(2);
      append(node, 3, put("b", version(2)));
    }
  }

  @Test
  void manyAtATimeLoseNoUpdate() throws Exception {
    int writers = 6;
    int each = 25;
    AtomicInteger numbers = new AtomicInteger();
    try (TestNode node = new TestNode(disk, meta);
        ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      node.found(ledger);
      append(node, numbers.getAndIncrement(), put("0", new Precondition.IfAbsent()));
      Callable<Boolean> writer =
          () -> {
            for (int done = 0; done < each; ) {
              done += increment(node, numbers.getAndIncrement()) ? 1 : 0;
            }
            return true;
          };
      List<Future<Boolean>> running =
          threads.invokeAll(IntStream.range(0, writers).mapToObj(_ -> writer).toList());
      for (Future<Boolean> one : running) {
        assertThat(one.get()).isTrue();
      }
      assertThat(number(node.node.state(ledger.strand(), KEY, StateReads.NEWEST, true)))
          .isEqualTo(writers * each);
    }
  }

  private static int number(ProvenState state) {
    Bytes value = state.value().value().orElseThrow().value();
    return Integer.parseInt(new String(value.toArray(), StandardCharsets.UTF_8));
  }

  /// @return whether it was the first with this version
  private boolean increment(TestNode node, int number) throws Exception {
    ProvenState state = node.node.state(ledger.strand(), KEY, StateReads.NEWEST, true);
    long jsn = ((StateAnswer.Present) state.answer()).entry().jsn().value();
    int is = number(state);
    try {
      append(node, number, put(String.valueOf(is + 1), version(jsn)));
      return true;
    } catch (RequestRejectedException e) {
      assertThat(e.code()).isEqualTo(RejectionCode.PRECONDITION_FAILED);
      return false;
    }
  }
}

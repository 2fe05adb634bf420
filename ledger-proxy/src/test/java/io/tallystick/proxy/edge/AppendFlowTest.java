package io.tallystick.proxy.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.StreamEnd;
import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: every submission is answered exactly once, and neither a fast writer nor a slow reader
/// makes the service hold more than a connection's budget. Method: real streams before a node that
/// can be held up.
class AppendFlowTest {

  private final MemoryNode node = new MemoryNode();
  private final Fixtures ledger = Fixtures.ledger(System.currentTimeMillis());
  private final LedgerId ledgerId = ledger.params().ledgerId();
  private TestFront front;

  @BeforeEach
  void start() throws Exception {
    front = new TestFront(node);
    front.create(ledger);
  }

  @AfterEach
  void stop() {
    front.close();
  }

  @Test
  void answersTenThousandSmallSubmissionsExactlyOnce() throws Exception {
    int count = 10_000;
    // One signed request many times over: the node here knows no replay.
    AppendRequest template = TestFront.append(0, ledgerId, ledger.single(1));
    AppendClient client = AppendClient.open(front.channel);
    Set<Long> answered = new HashSet<>();
    Set<Long> jsns = new HashSet<>();
    for (int id = 1; id <= count; id++) {
      client.send(template.toBuilder().setId(id).build());
    }
    client.requests().onCompleted();
    for (int i = 0; i < count; i++) {
      AppendResponse answer = client.nextAnswer();
      assertThat(answered.add(answer.getId())).isTrue();
      assertThat(jsns.add(answer.getReceipted().getFirstJsn())).isTrue();
    }
    client.awaitEnd();
    assertThat(client.answers).isEmpty();
    assertThat(front.meters.get("ledger.journals.appended").counter().count()).isEqualTo(count);
    assertThat(front.meters.get("ledger.append").timer().count()).isEqualTo(count);
  }

  @Test
  void answersEverySubmissionOfAPackedMessageByItself() throws Exception {
    AppendRequest.Builder message = packable(1).toBuilder();
    for (int id = 2; id <= 40; id++) {
      message.addMore(packable(id));
    }
    message.addMore(packable(41).toBuilder().clearRequests());
    AppendClient client = AppendClient.open(front.channel);
    client.send(message.build());
    client.requests().onCompleted();
    client.awaitEnd();
    Map<Long, AppendResponse> answers = new HashMap<>();
    for (AppendResponse answer : client.answers) {
      answers.put(answer.getId(), answer);
      answer.getMoreList().forEach(further -> answers.put(further.getId(), further));
    }
    assertThat(answers).hasSize(41);
    assertThat(answers.get(41L))
        .satisfies(answer -> assertThat(answer.getProblem().getCode()).isEqualTo("malformed"));
    answers.remove(41L);
    assertThat(answers.values()).allMatch(AppendResponse::hasReceipted);
  }

  @Test
  void endsTheCallOfAMessageThatPacksTooManyOrTooDeep() throws Exception {
    AppendRequest.Builder tooMany = AppendRequest.newBuilder().setId(1);
    for (int id = 2; id <= 1025; id++) {
      tooMany.addMore(AppendRequest.newBuilder().setId(id));
    }
    assertEnds(tooMany.build(), "too_large");
    assertEnds(
        packable(1).toBuilder().addMore(packable(2).toBuilder().addMore(packable(3))).build(),
        "malformed");
    assertThat(node.logs.values().iterator().next().size()).isEqualTo(2);
  }

  private void assertEnds(AppendRequest message, String code) throws Exception {
    AppendClient client = AppendClient.open(front.channel);
    client.send(message);
    assertThat(client.problem().getCode()).isEqualTo(code);
  }

  private AppendRequest packable(int id) {
    return TestFront.append(id, ledgerId, ledger.single(id)).toBuilder()
        .setPackedAnswer(true)
        .build();
  }

  @Test
  void answersDeferredSubmissionsWithoutReceipt() throws Exception {
    AppendClient client = AppendClient.open(front.channel);
    client.send(
        TestFront.append(9, ledgerId, ledger.batch(1, 3)).toBuilder()
            .setMode(AppendRequest.Mode.DEFERRED)
            .build());
    AppendResponse answer = client.nextAnswer();
    assertThat(answer.getDeferred().getFirstJsn()).isEqualTo(2);
    assertThat(answer.getDeferred().getCount()).isEqualTo(3);
  }

  @Test
  void stopsAskingAtTheConnectionsBudgetAndGoesOnWhenAnswered() throws Exception {
    node.hold();
    AppendRequest big = bigRequest();
    AppendClient client = AppendClient.open(front.channel);
    AppendClient sibling = AppendClient.open(front.channel);
    int count = 20;
    for (int id = 1; id <= count; id++) {
      client.send(big.toBuilder().setId(id).build());
    }
    await(() -> node.heldCount() >= 9);
    int held = settledHeldCount();
    // 8 MiB of submissions of 1 MB: the ninth goes over the edge and no further one is asked for.
    assertThat(held).isBetween(9, 10);
    sibling.send(TestFront.append(1, ledgerId, ledger.single(2)));
    assertThat(sibling.answers.poll(300, TimeUnit.MILLISECONDS))
        .as("another stream of a connection without room")
        .isNull();
    assertThat(settledHeldCount()).isBetween(held, held + 1);

    node.release();
    Set<Long> answered = new HashSet<>();
    for (int i = 0; i < count; i++) {
      answered.add(client.nextAnswer().getId());
    }
    assertThat(answered).hasSize(count);
    assertThat(sibling.nextAnswer().getId()).isEqualTo(1);
  }

  @Test
  void anotherConnectionHasABudgetOfItsOwn() throws Exception {
    node.hold();
    AppendRequest big = bigRequest();
    AppendClient client = AppendClient.open(front.channel);
    for (int id = 1; id <= 12; id++) {
      client.send(big.toBuilder().setId(id).build());
    }
    await(() -> node.heldCount() >= 9);
    int held = settledHeldCount();
    var otherChannel = front.channel();
    AppendClient other = AppendClient.open(otherChannel);
    other.send(TestFront.append(1, ledgerId, ledger.single(2)));
    await(() -> node.heldCount() == held + 1);
    node.release();
    assertThat(other.nextAnswer().hasReceipted()).isTrue();
    otherChannel.shutdownNow();
  }

  @Test
  void doesNotTakeMoreThanASlowReaderReadsAnswersOf() throws Exception {
    AppendRequest template = TestFront.append(0, ledgerId, ledger.single(1));
    AppendClient slow = AppendClient.open(front.channel, true);
    int count = 45_000;
    for (int id = 1; id <= count; id++) {
      slow.send(template.toBuilder().setId(id).build());
    }
    slow.requests().onCompleted();
    long size = settledLogSize();
    assertThat(size).as("journals taken while no answer was read").isLessThan(2L * count);

    slow.requests().request(Integer.MAX_VALUE);
    Set<Long> answered = new HashSet<>();
    for (int i = 0; i < count; i++) {
      answered.add(slow.nextAnswer().getId());
    }
    slow.awaitEnd();
    assertThat(answered).hasSize(count);
  }

  @Test
  void survivesAStreamCancelledMidWay() throws Exception {
    node.hold();
    AppendClient client = AppendClient.open(front.channel);
    AppendRequest big = bigRequest();
    for (int id = 1; id <= 12; id++) {
      client.send(big.toBuilder().setId(id).build());
    }
    settledHeldCount();
    client.requests().cancel("changed my mind", null);
    assertThatThrownBy(client::awaitEnd).isInstanceOf(ExecutionException.class);
    node.release();

    // What it had in flight is given back: the same connection takes as much again.
    AppendClient next = AppendClient.open(front.channel);
    for (int id = 1; id <= 12; id++) {
      next.send(big.toBuilder().setId(id).build());
    }
    for (int id = 1; id <= 12; id++) {
      assertThat(next.nextAnswer().hasReceipted()).isTrue();
    }
  }

  @Test
  void endsStreamWithResourceExhaustedForAMessageAboveFiveMebibytes() throws Exception {
    AppendClient client = AppendClient.open(front.channel);
    client.send(
        AppendRequest.newBuilder()
            .setId(1)
            .setAttestation(ToProto.bytes(new byte[MessageLimits.APPEND_BYTES_MAX + 1]))
            .build());
    assertThatThrownBy(client::awaitEnd)
        .cause()
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            failure -> {
              assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
              assertThat(failure.getStatus().getDescription()).contains("5242880");
            });
  }

  @Test
  void answersWhatItHasTakenBeforeItShutsDown() throws Exception {
    node.hold();
    AppendClient client = AppendClient.open(front.channel);
    client.send(TestFront.append(1, ledgerId, ledger.single(1)));
    await(() -> node.heldCount() == 1);
    front.edge.drain();
    node.release();
    assertThat(client.nextAnswer().hasReceipted()).isTrue();
    assertEndsInOrder(client);
  }

  private static void assertEndsInOrder(AppendClient client) {
    assertThatThrownBy(client::awaitEnd)
        .cause()
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            failure -> {
              assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
              assertThat(StreamEnd.isInOrder(failure)).isTrue();
            });
  }

  @Test
  void endsTheAppendsOfAnOldConnectionInOrder() throws Exception {
    try (TestFront aging = new TestFront(node, Duration.ofSeconds(1))) {
      AppendClient client = AppendClient.open(aging.channel);
      client.send(TestFront.append(1, ledgerId, ledger.single(1)));
      assertThat(client.nextAnswer().hasReceipted()).isTrue();
      assertEndsInOrder(client);
      AppendClient next = AppendClient.open(aging.channel);
      next.send(TestFront.append(1, ledgerId, ledger.single(1)));
      assertThat(next.nextAnswer().hasReceipted()).isTrue();
    }
  }

  private AppendRequest bigRequest() {
    RequestDraft draft =
        RequestDraft.append(
            ledger.strand(),
            Bytes.wrap(new byte[1_000_000]),
            "",
            ledger.timeMs(),
            Fixtures.bytes32("big"));
    return TestFront.append(0, ledgerId, ledger.submission(draft.build(), Fixtures.ALICE));
  }

  /// How many appends are held once that number has stopped to grow.
  private int settledHeldCount() throws InterruptedException {
    int before = -1;
    while (node.heldCount() != before || before == 0) {
      before = node.heldCount();
      Thread.sleep(300);
    }
    return before;
  }

  private long settledLogSize() throws InterruptedException {
    MemoryLog log = node.logs.values().iterator().next();
    long before = -1;
    while (log.size() != before) {
      before = log.size();
      Thread.sleep(300);
    }
    return before;
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    Waiting.until("it is so", condition::getAsBoolean);
  }
}

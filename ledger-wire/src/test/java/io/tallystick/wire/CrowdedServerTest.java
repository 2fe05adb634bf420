package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.NodeChange;
import io.tallystick.node.NodeRead;
import io.tallystick.node.TakenEntry;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.wire.ShardOwners.Owned;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a shard that does not answer holds up no other shard of its server. Method: a node whose
/// answers wait until they are let go, beside one that answers.
class CrowdedServerTest {
  private static final int HELD = 0;
  private static final int OTHER = 1;
  private static final int ELSEWHERE = 2;
  private static final int TAKING = 3;
  private static final byte[] CLOSED = {};

  private final Fixtures ledger = Fixtures.ledger();
  private final HeldNode held = new HeldNode();
  private final IdleNode other = new IdleNode();
  private final TakingNode taking = new TakingNode();
  private NodeService service;
  private NodeListener listener;
  private ManagedChannel channel;

  /// Answers late, and then that it cannot say.
  private static final class HeldNode extends IdleNode {
    private final CountDownLatch let = new CountDownLatch(1);
    private final CountDownLatch letChanges = new CountDownLatch(1);
    private final AtomicInteger changing = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public <R> R ask(NodeRead<R> read) throws RequestRejectedException {
      asked.incrementAndGet();
      await(let);
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "perhaps another's");
    }

    @Override
    public <R> R change(NodeChange<R> change) throws RequestRejectedException {
      changing.incrementAndGet();
      await(letChanges);
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "perhaps another's");
    }

    private static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    service =
        new NodeService(
            number ->
                Optional.ofNullable(
                        switch (number) {
                          case HELD -> held;
                          case OTHER -> other;
                          case TAKING -> taking;
                          default -> null;
                        })
                    .map(node -> new Owned(node, 1)),
            WiredNode.SIGNATURES,
            Set.of(),
            true,
            WiredNode::memberOf,
            WiredNode.SETTINGS);
    listener = NodeListener.start(WiredNode.loopback(0), Optional.empty(), service);
    channel =
        NettyChannelBuilder.forAddress(WiredNode.loopback(listener.port())).usePlaintext().build();
  }

  @AfterEach
  void close() {
    held.let.countDown();
    held.letChanges.countDown();
    channel.shutdownNow();
    listener.close();
    service.close();
  }

  private final class Appending extends ClientCall.Listener<byte[]> {
    private final BlockingQueue<byte[]> heard = new LinkedBlockingQueue<>();
    private final ClientCall<byte[], byte[]> call;

    Appending() {
      call = channel.newCall(NodeMethods.APPEND, CallOptions.DEFAULT);
      call.start(this, new Metadata());
      call.request(1000);
    }

    @Override
    public void onMessage(byte[] message) {
      heard.add(message);
    }

    private void send(int shard, WireMessage.Submitted... submissions) {
      sendFollowed(shard, 0, submissions);
    }

    private void sendFollowed(int shard, int following, WireMessage.Submitted... submissions) {
      call.sendMessage(
          WireFrames.encode(
              new WireMessage.Appends(
                  new WireMessage.Meant(shard, 1), List.of(submissions), following)));
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      heard.add(CLOSED);
    }
  }

  private WireMessage.Submitted single(int id) {
    Submission single = ledger.single(id);
    return new WireMessage.Submitted(
        id, 1, false, ledger.strand(), single.requests(), single.attestation());
  }

  private static int threads() {
    return Runtime.getRuntime().availableProcessors();
  }

  @Test
  void itsAppendsHoldUpNoOthers() throws Exception {
    Appending first = new Appending();
    for (int i = 0; i < 4 * threads(); i++) {
      first.send(HELD, single(i));
    }
    Waiting.until("all threads are held", () -> held.asked.get() == threads());
    new Appending().send(OTHER, single(1));
    Waiting.until("the other shard's comes through", () -> !other.taken.isEmpty());
    assertThat(held.let.getCount()).isEqualTo(1);
  }

  @Test
  void itsReadsHoldUpNoOthers() throws Exception {
    List<Future<byte[]>> asked = ask(HELD, new LedgerRead.Count(), 100);
    Waiting.until("they are looked at", () -> held.asked.get() > 30);
    try (NodeStub stub =
        NodeStub.connect(
            new NodeStub.Target(
                WiredNode.loopback(listener.port()), Optional.empty(), WireRole.PROXY),
            WiredNode.SETTINGS,
            new NodeStub.Shard(OTHER, () -> 1, _ -> {}))) {
      assertThat(stub.health().appendable()).isTrue();
    }
    assertRefused(ask(OTHER, new LedgerRead.Count(), 1).getFirst());
    assertThat(asked).noneMatch(Future::isDone);
  }

  /// By the shard itself, which answers.
  private static void assertRefused(Future<byte[]> asked) throws Exception {
    assertThat(WireFrames.decode(asked.get(20, TimeUnit.SECONDS)))
        .isInstanceOfSatisfying(
            WireMessage.Refused.class,
            refused -> assertThat(refused.refusal().detail()).isEqualTo("idle"));
  }

  private List<Future<byte[]>> ask(int shard, Object what, int times) {
    NodeQuestions.Row row = NodeQuestions.TABLE.of(what);
    byte[] question =
        WireFrames.encode(
            new WireMessage.Question(
                new WireMessage.Meant(shard, 1),
                row.number(),
                WireFrames.body(row.question(), what)));
    List<Future<byte[]>> asked = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      asked.add(
          ClientCalls.futureUnaryCall(
              channel.newCall(NodeMethods.ASK, CallOptions.DEFAULT), question));
    }
    return asked;
  }

  @Test
  void itsChangesHoldUpNoOthers() throws Exception {
    List<Future<byte[]>> changes = ask(HELD, new NodeChange.DropGoneProposals(), 100);
    Waiting.until("they are begun", () -> held.changing.get() > 15);
    assertRefused(ask(OTHER, new NodeChange.DropGoneProposals(), 1).getFirst());
    assertThat(changes).noneMatch(Future::isDone);
  }

  @Test
  void itsChangesHoldUpNoReads() throws Exception {
    List<Future<byte[]>> changes = ask(HELD, new NodeChange.DropGoneProposals(), 100);
    Waiting.until("they are begun", () -> held.changing.get() > 15);
    held.let.countDown();
    byte[] answer = ask(HELD, new LedgerRead.Count(), 1).getFirst().get(20, TimeUnit.SECONDS);
    assertThat(WireFrames.decode(answer)).isInstanceOf(WireMessage.Refused.class);
    assertThat(changes).noneMatch(Future::isDone);
  }

  /// Takes heads for a T-Ledger, and answers them when the test says so.
  private static final class TakingNode extends IdleNode {
    private final Queue<CompletableFuture<Object>> heads = new ConcurrentLinkedQueue<>();

    @Override
    @SuppressWarnings("unchecked") // what a submitted head is answered
    public <R> CompletableFuture<R> changeLater(NodeChange<R> change)
        throws RequestRejectedException {
      if (change instanceof NodeChange.SubmitHead) {
        CompletableFuture<Object> head = new CompletableFuture<>();
        heads.add(head);
        return (CompletableFuture<R>) head;
      }
      return super.changeLater(change);
    }
  }

  /// More of them than there are threads for changes.
  @Test
  void headsThatWaitForTheirBlockHoldUpNoChanges() throws Exception {
    NodeChange.SubmitHead head =
        new NodeChange.SubmitHead(
            ledger.strand().ledger(), Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY, "", "");
    List<Future<byte[]>> submitted = ask(TAKING, head, 100);
    Waiting.until("all are taken", () -> taking.heads.size() == 100);
    assertRefused(ask(TAKING, new NodeChange.DropGoneProposals(), 1).getFirst());
    assertThat(submitted).noneMatch(Future::isDone);
    taking
        .heads
        .poll()
        .completeExceptionally(new RequestRejectedException(RejectionCode.HEAD_REFUSED, "idle"));
    taking.heads.forEach(
        each -> each.complete(new TakenEntry(Bytes.EMPTY, Bytes.EMPTY, Bytes.utf8("body"))));
    int refused = 0;
    for (Future<byte[]> each : submitted) {
      WireMessage answer = WireFrames.decode(each.get(20, TimeUnit.SECONDS));
      refused += answer instanceof WireMessage.Refused ? 1 : 0;
    }
    assertThat(refused).isEqualTo(1);
  }

  @Test
  void ofOneMessageOneIsWaitedFor() throws Exception {
    held.let.countDown();
    Appending all = new Appending();
    all.send(HELD, single(1), single(2), single(3), single(4));
    for (int i = 1; i <= 4; i++) {
      WireMessage answer = WireFrames.decode(all.heard.poll(20, TimeUnit.SECONDS));
      assertThat(answer)
          .isInstanceOfSatisfying(
              WireMessage.Failed.class,
              failed -> assertThat(failed.refusal().orElseThrow().code()).isEqualTo("unavailable"));
    }
    assertThat(held.asked).hasValue(1);
  }

  /// One without bytes, too: those that cost nothing would pile up without a bound.
  @Test
  void aStreamEndsWhenAllIsAnswered() throws Exception {
    Appending first = new Appending();
    for (int i = 0; i < threads(); i++) {
      first.send(HELD, single(i));
    }
    Waiting.until("all threads are held", () -> held.asked.get() == threads());
    Appending empty = new Appending();
    empty.send(
        HELD, new WireMessage.Submitted(9, 1, false, ledger.strand(), List.of(), Bytes.EMPTY));
    empty.call.halfClose();
    assertThat(empty.heard.poll(500, TimeUnit.MILLISECONDS)).isNull();
    held.let.countDown();
    assertThat(WireFrames.decode(empty.heard.poll(20, TimeUnit.SECONDS)))
        .isInstanceOf(WireMessage.Failed.class);
    assertThat(empty.heard.poll(20, TimeUnit.SECONDS)).isSameAs(CLOSED);
  }

  @Test
  void noProxySaysThatMoreFollowsThanMay() throws Exception {
    Appending first = new Appending();
    first.sendFollowed(OTHER, Integer.MAX_VALUE, single(1));
    Waiting.until("it comes through", () -> other.followings.size() == 1);
    Appending second = new Appending();
    second.sendFollowed(OTHER, Integer.MAX_VALUE, single(2));
    Waiting.until("it comes through", () -> other.followings.size() == 2);
    assertThat(other.followings).containsExactly(100_000, 200_000);
    first.call.cancel("gone", null);
    second.call.cancel("gone", null);
    Waiting.until("nothing is kept of the shard", () -> service.following(OTHER, 0) == 0);
  }

  @Test
  void nothingIsKeptOfAShardThatIsNotHere() throws Exception {
    Appending stray = new Appending();
    stray.sendFollowed(ELSEWHERE, 7, single(1));
    assertThat(WireFrames.decode(stray.heard.poll(20, TimeUnit.SECONDS)))
        .isInstanceOf(WireMessage.Failed.class);
    assertThat(service.following(ELSEWHERE, 0)).isZero();
  }

  /// What waits when the proxy goes is not looked at.
  @Test
  void whatNobodyWaitsForIsDropped() throws Exception {
    Appending gone = new Appending();
    for (int i = 0; i < 4 * threads(); i++) {
      gone.sendFollowed(HELD, 1, single(i), single(1000 + i));
    }
    Waiting.until("all threads are held", () -> held.asked.get() == threads());
    assertThat(service.following(HELD, 0)).isEqualTo(1);
    gone.call.cancel("gone", null);
    Waiting.until("its end is known", () -> service.following(HELD, 0) == 0);
    held.let.countDown();
    Appending last = new Appending();
    last.send(HELD, single(7));
    Waiting.until("the queue has been worked off", () -> !last.heard.isEmpty());
    assertThat(held.asked).hasValue(threads() + 1);
  }
}

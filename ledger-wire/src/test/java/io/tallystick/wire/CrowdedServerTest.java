package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.NodeRead;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.wire.ShardOwners.Owned;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
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

  private final Fixtures ledger = Fixtures.ledger();
  private final HeldNode held = new HeldNode();
  private final IdleNode other = new IdleNode();
  private NodeService service;
  private NodeListener listener;
  private ManagedChannel channel;

  /// Answers late, and then that it cannot say.
  private static final class HeldNode extends IdleNode {
    private final CountDownLatch let = new CountDownLatch(1);
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public <R> R ask(NodeRead<R> read) throws RequestRejectedException {
      asked.incrementAndGet();
      await();
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "perhaps another's");
    }

    private void await() {
      try {
        assertThat(let.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    service =
        new NodeService(
            number -> Optional.of(new Owned(number == HELD ? held : other, 1)),
            WiredNode.SIGNATURES,
            Set.of(),
            true,
            WiredNode.SETTINGS);
    listener = NodeListener.start(WiredNode.loopback(0), Optional.empty(), service);
    channel =
        NettyChannelBuilder.forAddress(WiredNode.loopback(listener.port())).usePlaintext().build();
  }

  @AfterEach
  void close() {
    held.let.countDown();
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
      call.sendMessage(
          WireFrames.encode(
              new WireMessage.Appends(new WireMessage.Meant(shard, 1), List.of(submissions), 0)));
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
    NodeQuestions.Row row = NodeQuestions.TABLE.of(new LedgerRead.Count());
    List<Object> asked = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      byte[] question =
          WireFrames.encode(
              new WireMessage.Question(new WireMessage.Meant(HELD, 1), row.number(), Bytes.EMPTY));
      asked.add(
          ClientCalls.futureUnaryCall(
              channel.newCall(NodeMethods.ASK, CallOptions.DEFAULT), question));
    }
    Waiting.until("they are looked at", () -> held.asked.get() > 30);
    try (NodeStub stub =
        NodeStub.connect(
            new NodeStub.Target(
                WiredNode.loopback(listener.port()), Optional.empty(), WireRole.PROXY),
            WiredNode.SETTINGS,
            new NodeStub.Shard(OTHER, () -> 1, _ -> {}))) {
      assertThat(stub.health().appendable()).isTrue();
    }
    assertThat(asked).hasSize(100);
    assertThat(held.let.getCount()).isEqualTo(1);
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

  /// What waits when the proxy goes is not looked at.
  @Test
  void whatNobodyWaitsForIsDropped() throws Exception {
    Appending gone = new Appending();
    for (int i = 0; i < 4 * threads(); i++) {
      gone.send(HELD, single(i), single(1000 + i));
    }
    Waiting.until("all threads are held", () -> held.asked.get() == threads());
    gone.call.cancel("gone", null);
    Appending next = new Appending();
    next.send(OTHER, single(1)); // behind the end of the first, as gRPC tells them
    Waiting.until("the next comes through", () -> !other.taken.isEmpty());
    held.let.countDown();
    Appending last = new Appending();
    last.send(HELD, single(7));
    Waiting.until("the queue has been worked off", () -> !last.heard.isEmpty());
    assertThat(held.asked).hasValue(threads() + 1);
  }
}

package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.Appending;
import io.tallystick.node.LogRange;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.wire.ShardOwners.Owned;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: neither side piles up what the other does not take. Method: a node that commits nothing
/// until it is told to, and that has a log without an end, on loopback.
class SlowPeerTest {
  private static final long IN_FLIGHT = NodeMethods.MESSAGE_BYTES_MAX;
  private static final int STILL_LOOKS = 30;
  private static final int BODY_BYTES = 900 << 10;
  private static final WireSettings SETTINGS =
      new WireSettings(
          WiredNode.SETTINGS.deadline(),
          WiredNode.SETTINGS.walkDeadline(),
          WiredNode.SETTINGS.poll(),
          IN_FLIGHT);

  private final Fixtures ledger = Fixtures.ledger();
  private final IdleNode node = new IdleNode();
  private NodeService service;
  private NodeListener listener;

  @BeforeEach
  void open() throws Exception {
    service =
        new NodeService(
            _ -> Optional.of(new Owned(node, 1)),
            WiredNode.SIGNATURES,
            Set.of(),
            false,
            WiredNode::memberOf,
            SETTINGS);
    listener = NodeListener.start(WiredNode.loopback(0), Optional.empty(), service);
  }

  @AfterEach
  void close() {
    node.refuseAll();
    listener.close();
    service.close();
  }

  private ManagedChannel channel() {
    return NettyChannelBuilder.forAddress(WiredNode.loopback(listener.port()))
        .usePlaintext()
        .build();
  }

  private Submission large(int number) {
    byte[] salt = new byte[32];
    salt[0] = (byte) (number + 1);
    return ledger.submission(
        RequestDraft.append(
                ledger.strand(),
                Bytes.wrap(new byte[BODY_BYTES]),
                "text/plain",
                ledger.timeMs(),
                Bytes.wrap(salt))
            .build(),
        Fixtures.ALICE);
  }

  /// For long enough that what nobody holds back would get there.
  private static void staysBelow(long bound, AtomicLong count) throws InterruptedException {
    for (int i = 0; i < STILL_LOOKS; i++) {
      TimeUnit.MILLISECONDS.sleep(50);
      assertThat(count.get()).isLessThan(bound);
    }
  }

  private static final class Ignored extends ClientCall.Listener<byte[]> {}

  @Test
  void aServerReadsNoMoreThanItsNodeHasRoomFor() throws Exception {
    ManagedChannel channel = channel();
    ClientCall<byte[], byte[]> call = channel.newCall(NodeMethods.APPEND, CallOptions.DEFAULT);
    call.start(new Ignored(), new Metadata());
    for (int i = 0; i < 60; i++) {
      Submission submission = large(i);
      call.sendMessage(
          WireFrames.encode(
              new WireMessage.Appends(
                  new WireMessage.Meant(0, 1),
                  List.of(
                      new WireMessage.Submitted(
                          i,
                          1,
                          false,
                          ledger.strand(),
                          submission.requests(),
                          submission.attestation())),
                  0)));
    }
    Waiting.until("the room is used", () -> node.takenBytes.get() >= IN_FLIGHT - BODY_BYTES);
    staysBelow(IN_FLIGHT + 2 * BODY_BYTES, node.takenBytes);
    long before = node.takenBytes.get();
    call.request(100);
    node.refuseAll();
    Waiting.until("it goes on", () -> node.takenBytes.get() > before);
    channel.shutdownNow();
  }

  @Test
  void aStubRefusesWhatTheServerDoesNotAnswer() throws Exception {
    try (NodeStub stub = stub()) {
      List<AppendTicket> tickets = new ArrayList<>();
      List<Appending> all = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        tickets.add(AppendTicket.open());
        all.add(new Appending(verified(large(i)), tickets.getLast()));
      }
      stub.append(all, 0);
      assertThatThrownBy(() -> tickets.getLast().receipted().get(20, TimeUnit.SECONDS))
          .hasCauseInstanceOf(RequestRejectedException.class)
          .hasMessageContaining("wait for the server's answers");
      assertThat(tickets.getFirst().receipted()).isNotDone();
      Waiting.until("all that was sent came", () -> node.taken.size() >= 20);
      while (!tickets.getFirst().receipted().isDone()) {
        node.refuseAll();
        TimeUnit.MILLISECONDS.sleep(10);
      }
      assertThatThrownBy(() -> tickets.getFirst().receipted().get())
          .hasMessageContaining("told to");
    }
  }

  private VerifiedSubmission verified(Submission submission) throws RequestRejectedException {
    return new SubmissionVerifier(WiredNode.SIGNATURES, Set.of())
        .verify(ledger.strand(), submission.requests(), submission.attestation(), ledger.keys());
  }

  private NodeStub stub() throws Exception {
    return NodeStub.connect(
        new NodeStub.Target(WiredNode.loopback(listener.port()), Optional.empty(), WireRole.PROXY),
        SETTINGS,
        new NodeStub.Shard(0, () -> 1, _ -> {}));
  }

  @Test
  void aWalkGoesNoFasterThanItsReaderAndEndsWithIt() throws Exception {
    ManagedChannel channel = channel();
    ClientCall<byte[], byte[]> call = channel.newCall(NodeMethods.WALK, CallOptions.DEFAULT);
    call.start(new Ignored(), new Metadata());
    call.sendMessage(
        WireFrames.encode(
            new WireMessage.Walk(
                new WireMessage.Meant(0, 1),
                new LogRange(new StrandId(ledger.strand().ledger(), 0), 0, 1, true, false))));
    call.halfClose();
    call.request(1);
    Waiting.until("it has begun", () -> node.visited.get() > 20);
    staysBelow(500, node.visited); // some MB of leaves
    call.cancel("enough", null);
    assertThat(node.walksEnded.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    channel.shutdownNow();
  }
}

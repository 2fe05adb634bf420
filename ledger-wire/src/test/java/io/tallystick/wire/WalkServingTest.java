package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.BodyState;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LogRange;
import io.tallystick.node.LogVisitor;
import io.tallystick.testkit.Fixtures;
import io.tallystick.wire.ShardOwners.Owned;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: what a walk has read and not sent goes with the right to say it, and a walk that is cut
/// does not end as a whole one. Method: a node that gives three leaves and then refuses; one
/// without end, at a server that leaves.
class WalkServingTest {
  private static final class RefusingNode extends IdleNode {
    private final RejectionCode code;

    RefusingNode(RejectionCode code) {
      this.code = code;
    }

    @Override
    public void readLog(LogRange range, LogVisitor visitor) throws RequestRejectedException {
      for (int jsn = 0; jsn < 3; jsn++) {
        assertThat(
                visitor.leaf(
                    jsn, Bytes.utf8("leaf"), null, Bytes.EMPTY, BodyState.NONE, null, null))
            .isTrue();
      }
      throw new RequestRejectedException(code, "from here on");
    }
  }

  /// The proxy would take what it has for all there is.
  @Test
  void aWalkThatIsCutIsNoWholeOne() throws Exception {
    IdleNode endless = new IdleNode();
    CountDownLatch read = new CountDownLatch(1);
    try (NodeService service = service(endless);
        NodeListener listener =
            NodeListener.start(WiredNode.loopback(0), Optional.empty(), service);
        NodeStub stub = stub(listener);
        ExecutorService reader = Executors.newSingleThreadExecutor()) {
      Future<RequestRejectedException> refusal =
          reader.submit(() ->
              catchThrowableOfType(
                  RequestRejectedException.class,
                  () ->
                      stub.readLog(
                          new LogRange(Fixtures.ledger().strand(), 0, 9, true, true),
                          (_, _, _, _, _, _, _) -> isRead(read))));
      Runnable leave = service::close;
      long visited = 0;
      do { // until it waits for room
        visited = endless.visited.get();
        Thread.sleep(500);
      } while (visited == 0 || visited != endless.visited.get());
      leave.run();
      assertThat(endless.walksEnded.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
      read.countDown();
      assertThat(refusal.get(60, TimeUnit.SECONDS).code()).isEqualTo(RejectionCode.UNAVAILABLE);
    }
  }

  private static boolean isRead(CountDownLatch read) {
    try {
      return read.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static NodeService service(IdleNode node) {
    return new NodeService(
        _ -> Optional.of(new Owned(node, 1)),
        WiredNode.SIGNATURES,
        Set.of(),
        true,
        WiredNode::memberOf,
        WiredNode.SETTINGS);
  }

  private static NodeStub stub(NodeListener listener) throws Exception {
    return NodeStub.connect(
        new NodeStub.Target(WiredNode.loopback(listener.port()), Optional.empty(), WireRole.PROXY),
        WiredNode.SETTINGS,
        new NodeStub.Shard(0, () -> 1, _ -> {}));
  }

  @ParameterizedTest
  @EnumSource(names = {"UNAVAILABLE", "DAMAGED"})
  void sendsNothingThatPerhapsAnotherMustSay(RejectionCode code) throws Exception {
    List<Long> read = new ArrayList<>();
    try (NodeService service = service(new RefusingNode(code));
        NodeListener listener =
            NodeListener.start(WiredNode.loopback(0), Optional.empty(), service);
        NodeStub stub = stub(listener)) {
      RequestRejectedException refusal =
          catchThrowableOfType(
              RequestRejectedException.class,
              () ->
                  stub.readLog(
                      new LogRange(Fixtures.ledger().strand(), 0, 9, true, true),
                      (jsn, _, _, _, _, _, _) -> read.add(jsn)));
      assertThat(refusal.code()).isEqualTo(code);
    }
    assertThat(read).hasSize(code == RejectionCode.UNAVAILABLE ? 0 : 3);
  }
}

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: what a walk has read and not sent goes with the right to say it. Method: a node that gives
/// three leaves and then refuses.
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

  @ParameterizedTest
  @EnumSource(names = {"UNAVAILABLE", "DAMAGED"})
  void sendsNothingThatPerhapsAnotherMustSay(RejectionCode code) throws Exception {
    List<Long> read = new ArrayList<>();
    try (NodeService service =
            new NodeService(
                _ -> Optional.of(new Owned(new RefusingNode(code), 1)),
                WiredNode.SIGNATURES,
                Set.of(),
                true,
                WiredNode::memberOf,
                WiredNode.SETTINGS);
        NodeListener listener =
            NodeListener.start(WiredNode.loopback(0), Optional.empty(), service);
        NodeStub stub =
            NodeStub.connect(
                new NodeStub.Target(
                    WiredNode.loopback(listener.port()), Optional.empty(), WireRole.PROXY),
                WiredNode.SETTINGS,
                new NodeStub.Shard(0, () -> 1, _ -> {}))) {
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

package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Context;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.LogRead;
import io.tallystick.node.NodeRead;
import io.tallystick.testkit.Fixtures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: questions to who follows a shard cross with the owner's frame and are answered by nobody
/// else; one that is gone is left alone. Method: a server that follows one shard and owns another.
class FollowerStubTest {
  private static final int FOLLOWED = 3;
  private static final int OWNED = 4;
  private static final long FRAME = 77;

  private final StrandId strand = Fixtures.ledger().strand();
  private final List<String> asked = new ArrayList<>();
  private NodeService service;
  private NodeListener listener;
  private FollowerStub stub;

  private final class Follower implements FollowerDoor {
    @Override
    @SuppressWarnings("unchecked") // the one question that has an answer
    public <R> R ask(NodeRead<R> read, long frame) throws RequestRejectedException {
      synchronized (asked) {
        asked.add(read + " behind " + frame);
      }
      if (read instanceof LogRead.NewestSize) {
        return (R) Long.valueOf(12);
      }
      throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "the owner's to say");
    }
  }

  @BeforeEach
  void open() throws Exception {
    ShardOwners shards =
        new ShardOwners() {
          @Override
          public Optional<Owned> shard(int number) {
            return number == OWNED ? Optional.of(new Owned(new IdleNode(), 1)) : Optional.empty();
          }

          @Override
          public Optional<FollowerDoor> followed(int number) {
            return number == FOLLOWED ? Optional.of(new Follower()) : Optional.empty();
          }
        };
    service =
        new NodeService(
            shards, WiredNode.SIGNATURES, Set.of(), true, WiredNode::memberOf, WiredNode.SETTINGS);
    listener = NodeListener.start(WiredNode.loopback(0), Optional.empty(), service);
    stub =
        FollowerStub.of(
            new NodeStub.Target(
                WiredNode.loopback(listener.port()), Optional.empty(), WireRole.PROXY),
            Duration.ofMinutes(1));
  }

  @AfterEach
  void close() {
    stub.close();
    listener.close();
    service.close();
  }

  private void assertUnavailable(int shard, NodeRead<?> read, String why) {
    assertThatThrownBy(() -> stub.shard(shard).ask(read, FRAME))
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.UNAVAILABLE))
        .hasMessageContaining(why);
  }

  @Test
  void theQuestionCrossesWithTheFrame() throws Exception {
    LogRead.NewestSize read = new LogRead.NewestSize(strand);
    assertThat(stub.shard(FOLLOWED).ask(read, FRAME)).isEqualTo(12);
    assertThat(asked).containsExactly(read + " behind 77");
    assertUnavailable(FOLLOWED, new LogRead.BlockAt(strand, 1), "the owner's to say");
  }

  @Test
  void whoDoesNotFollowTheShardDoesNotAnswer() {
    assertUnavailable(OWNED, new LogRead.NewestSize(strand), "not mine");
    assertUnavailable(OWNED + 1, new LogRead.NewestSize(strand), "not mine");
    assertThat(asked).isEmpty();
  }

  /// What one client does holds up no other's reads.
  @Test
  void aClientThatGivesUpSaysNothingOfTheFollower() throws Exception {
    LogRead.NewestSize read = new LogRead.NewestSize(strand);
    Context.CancellableContext gone = Context.current().withCancellation();
    gone.cancel(null);
    assertThat(gone.call(() -> answer(read))).isEqualTo("12");
    assertThat(answer(read)).isEqualTo("12");
  }

  private String answer(LogRead.NewestSize read) {
    try {
      return String.valueOf(stub.shard(FOLLOWED).ask(read, FRAME));
    } catch (RequestRejectedException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void whoDoesNotAnswerIsLeftAlone() {
    listener.close();
    assertUnavailable(FOLLOWED, new LogRead.NewestSize(strand), "UNAVAILABLE");
    assertUnavailable(FOLLOWED, new LogRead.NewestSize(strand), "did not answer just now");
  }
}

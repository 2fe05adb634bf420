package io.tallystick.cluster.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.LogRead;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.NodeRead;
import io.tallystick.testkit.Fixtures;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: what a follower may answer is spread over it and the owner, goes on when one of them is
/// lost, and every refusal is the owner's; what may be erased is asked behind the owner's newest
/// frame. Method: an owner and a follower that write down what they are asked.
class SpreadReadsTest {
  private static final long FRAME = 41;

  private final StrandId strand = Fixtures.ledger().strand();
  private final LogRead.Inclusion lasting = new LogRead.Inclusion(strand, 2, 20);
  private final LogRead.Receipt receipt = new LogRead.Receipt(strand, 2);
  private final LogRead.Journal body = new LogRead.Journal(strand, 2, true);
  private final List<String> asked = new ArrayList<>();
  private @Nullable RejectionCode ownerRefuses;
  private @Nullable RejectionCode followerRefuses;
  private boolean followed = true;
  private boolean readable = true;
  private final SpreadReads reads = new SpreadReads(new TwoRoutes());

  private Object owner(NodeRead<?> read) throws RequestRejectedException {
    asked.add("owner " + read.getClass().getSimpleName());
    if (ownerRefuses != null) {
      throw new RequestRejectedException(ownerRefuses, "owner");
    }
    return read instanceof LedgerRead.NewestFrame ? FRAME : "owner's";
  }

  private final class Follower implements FollowerDoor {
    @Override
    @SuppressWarnings("unchecked") // nobody looks into the answer
    public <R> R ask(NodeRead<R> read, long frame) throws RequestRejectedException {
      asked.add("follower " + read.getClass().getSimpleName() + " " + frame);
      if (followerRefuses != null) {
        throw new RequestRejectedException(followerRefuses, "follower");
      }
      return (R) "follower's";
    }
  }

  private final class TwoRoutes implements Routes {
    @Override
    public LedgerNode of(LedgerId ledger) {
      return (LedgerNode)
          Proxy.newProxyInstance(
              LedgerNode.class.getClassLoader(),
              new Class<?>[] {LedgerNode.class},
              (_, method, arguments) ->
                  method.getName().equals("health")
                      ? new NodeHealth(readable, true, "")
                      : owner((NodeRead<?>) arguments[0]));
    }

    @Override
    public LedgerNode toFound(LedgerId ledger) {
      return of(ledger);
    }

    @Override
    public List<LedgerNode> all() {
      return List.of();
    }

    @Override
    public List<LedgerNode> reached() {
      return List.of();
    }

    @Override
    public Optional<FollowerDoor> follower(LedgerId ledger) {
      return followed ? Optional.of(new Follower()) : Optional.empty();
    }
  }

  @SuppressWarnings("unchecked") // the answers are words
  private String ask(NodeRead<?> read) throws RequestRejectedException {
    return reads.ask(strand.ledger(), (NodeRead<String>) read);
  }

  @Test
  void byTurns() throws Exception {
    assertThat(List.of(ask(lasting), ask(receipt), ask(lasting), ask(receipt)))
        .containsExactly("owner's", "follower's", "owner's", "follower's");
    assertThat(asked)
        .containsExactly(
            "owner Inclusion", "follower Receipt -1", "owner Inclusion", "follower Receipt -1");
  }

  @Test
  void whatMayBeErasedIsAskedBehindTheOwnersFrame() throws Exception {
    assertThat(List.of(ask(body), ask(body))).containsExactly("owner's", "follower's");
    assertThat(asked).containsExactly("owner Journal", "owner NewestFrame", "follower Journal 41");
    ownerRefuses = RejectionCode.UNAVAILABLE;
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> ask(body)).hasMessage("owner");
    }
    assertThat(asked).doesNotContain("follower Journal -1");
  }

  @Test
  void goesOnWithoutTheOwner() throws Exception {
    ownerRefuses = RejectionCode.UNAVAILABLE;
    assertThat(List.of(ask(lasting), ask(lasting))).containsExactly("follower's", "follower's");
  }

  @Test
  void doesNotWaitForAnOwnerThatStandsStill() throws Exception {
    readable = false;
    assertThat(List.of(ask(lasting), ask(lasting))).containsExactly("follower's", "follower's");
    assertThat(asked).noneMatch(line -> line.startsWith("owner"));
    asked.clear();
    assertThat(List.of(ask(body), ask(body))).containsExactly("owner's", "owner's");
    assertThat(asked).as("waited for once a read").containsOnly("owner Journal").hasSize(2);
  }

  @Test
  void goesOnWithoutTheFollower() throws Exception {
    followerRefuses = RejectionCode.UNAVAILABLE;
    assertThat(List.of(ask(lasting), ask(lasting))).containsExactly("owner's", "owner's");
    followed = false;
    assertThat(List.of(ask(lasting), ask(lasting))).containsExactly("owner's", "owner's");
  }

  @Test
  void refusalsAreTheOwners() {
    followerRefuses = RejectionCode.UNAVAILABLE;
    ownerRefuses = RejectionCode.FUTURE_SIZE;
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> ask(lasting)).hasMessage("owner");
    }
    assertThat(asked)
        .containsExactly("owner Inclusion", "follower Inclusion -1", "owner Inclusion");
  }

  @Test
  void theNewestIsAskedOfTheOwnerAlone() throws Exception {
    for (int i = 0; i < 4; i++) {
      assertThat(ask(new LogRead.Checkpoint(strand))).isEqualTo("owner's");
      assertThat(ask(new LogRead.Inclusion(strand, 2, 0))).isEqualTo("owner's");
    }
    assertThat(asked).noneMatch(line -> line.startsWith("follower"));
  }
}

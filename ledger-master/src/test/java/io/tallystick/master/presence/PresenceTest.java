package io.tallystick.master.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.master.coordinated.FoundedTwin;
import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.cluster.TwinFaults;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: a server is shown exactly while its session lasts, and no id is shown for two. Method:
/// twins of ZooKeeper whose sessions are ended and whose answers are lost.
class PresenceTest {
  private final FoundedTwin cluster = twin();

  private static FoundedTwin twin() {
    try {
      return new FoundedTwin(new SplittableRandom(1), 4);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private PresentServers present() {
    return new PresentServers(cluster.client(), FoundedTwin.PATHS);
  }

  @Test
  void showsAllThatOthersNeedToKnow() throws Exception {
    List<ShardLoad> loads = List.of(new ShardLoad(3, true, 1000, 2), new ShardLoad(1, false, 0, 0));
    cluster
        .presence(
            cluster.client(),
            cluster.self("a"),
            () -> loads,
            FoundedTwin.FIRST_KEYS,
            FoundedTwin.keys(2))
        .turn();
    PresentServer shown = present().read("a").orElseThrow();
    assertThat(shown.address()).isEqualTo("a:7");
    assertThat(shown.share()).isEqualTo(4);
    assertThat(shown.pairs()).containsExactly(FoundedTwin.FIRST_KEYS, FoundedTwin.keys(2));
    assertThat(shown.shards()).isEqualTo(loads);
    assertThat(shown.follows(1)).isTrue();
    assertThat(shown.follows(3)).isFalse();
  }

  @Test
  void writesItsLoadWhenItHasChangedAndIsDue() throws Exception {
    List<ShardLoad> loads = new ArrayList<>();
    Presence a = cluster.presence(cluster.client(), cluster.self("a"), () -> loads);
    a.turn();
    loads.add(new ShardLoad(0, true, 7, 7));
    a.turn();
    assertThat(present().read("a").orElseThrow().shards()).isEmpty();
    cluster.pass(Duration.ofSeconds(1));
    a.turn();
    assertThat(present().read("a").orElseThrow().shards()).isEqualTo(loads);
  }

  @Test
  void refusesASecondServerOfTheSameIdUntilTheFirstOnesSessionHasEnded() throws Exception {
    Coordination first = cluster.client();
    cluster.show(first, "a");
    Presence second = cluster.presence(cluster.client(), cluster.self("a"), List::of);
    assertThatThrownBy(second::turn)
        .isInstanceOf(ServerIdTakenException.class)
        .hasMessage("another server a is there, at a:7");
    cluster.twin.expire(first);
    second.turn();
    assertThat(present().read("a").orElseThrow().incarnation()).isEqualTo(second.incarnation());
  }

  @Test
  void isShownAgainAfterALostSessionAndEndsIfAnotherTookItsId() throws Exception {
    Coordination client = cluster.client();
    Presence a = cluster.show(client, "a");
    cluster.twin.expire(client);
    assertThat(present().read()).isEmpty();
    a.turn();
    assertThat(present().read("a").orElseThrow().incarnation()).isEqualTo(a.incarnation());
    cluster.twin.expire(client);
    cluster.show(cluster.client(), "a");
    assertThatThrownBy(a::turn).isInstanceOf(ServerIdTakenException.class);
  }

  @Test
  void leavesAtOnceAndTakesNobodyElseAway() throws Exception {
    Coordination client = cluster.client();
    Presence a = cluster.show(client, "a");
    a.leave();
    assertThat(present().read()).isEmpty();
    Presence other = cluster.show(cluster.client(), "a");
    a.leave();
    assertThat(present().read("a").orElseThrow().incarnation()).isEqualTo(other.incarnation());
  }

  @Test
  void readsNothingThatNoServerShows() throws Exception {
    Coordination client = cluster.client();
    cluster.show(client, "a");
    Bytes other = cluster.valueAt(FoundedTwin.PATHS.server("a"));
    client.commit(
        List.of(new Coordination.Change.Create(FoundedTwin.PATHS.server("b"), other, true)));
    assertThatThrownBy(() -> present().read("b"))
        .hasMessage("/ts/one/servers/b at 0: it shows server a");
    client.commit(
        List.of(
            new Coordination.Change.Create(
                FoundedTwin.PATHS.servers() + "/B\u001b[31m", other, true)));
    assertThatThrownBy(() -> present().read()).isInstanceOf(CorruptStreamException.class);
  }

  /// Two processes of one id, sessions that end, answers that are lost: whoever believes that it is
  /// shown is shown, and the other is refused.
  @Seeded(runs = 40)
  void showsOneOfTwoWhateverIsLost(SplittableRandom random) throws Exception {
    FoundedTwin faulty = new FoundedTwin(random, 2);
    faulty.twin.faults(new TwinFaults(0, 300, 100, 0, 0));
    Coordination[] clients = {faulty.client(), faulty.client()};
    @Nullable Presence[] both = new @Nullable Presence[2];
    for (int turn = 0; turn < 60; turn++) {
      int who = random.nextInt(2);
      Presence mine = both[who];
      if (mine == null) {
        mine = faulty.presence(clients[who], faulty.self("a"), List::of);
      }
      if (random.nextInt(8) == 0) {
        faulty.twin.expire(clients[who]);
      }
      try {
        both[who] = mine;
        mine.turn();
        assertThat(
                new PresentServers(faultless(faulty), FoundedTwin.PATHS)
                    .read("a")
                    .orElseThrow()
                    .incarnation())
            .isEqualTo(mine.incarnation());
      } catch (ServerIdTakenException _) {
        both[who] = null; // its process ends
      } catch (IOException _) {
        // It does not know; the next turn looks.
      }
      faulty.twin.faults(new TwinFaults(0, 300, 100, 0, 0));
    }
  }

  private static Coordination faultless(FoundedTwin faulty) {
    faulty.twin.faults(TwinFaults.NONE);
    return faulty.client();
  }

  @Test
  void showsThatItMustNotClaimAndHowFarItsClockIsOff() throws Exception {
    AtomicReference<Presence.Now> now = new AtomicReference<>(cluster.now(List.of()));
    Presence a = cluster.presenceAs(cluster.client(), cluster.self("a"), now::get);
    a.turn();
    cluster.pass(Duration.ofSeconds(2));
    now.set(new Presence.Now(499, 4, List.of(), List.of()));
    a.turn();
    assertThat(present().read("a").orElseThrow().clockAheadMs()).as("a small step").isZero();
    now.set(new Presence.Now(-11_000, 0, List.of(FoundedTwin.keys(2)), List.of()));
    a.turn();
    PresentServer shown = present().read("a").orElseThrow();
    assertThat(shown.clockAheadMs()).isEqualTo(-11_000);
    assertThat(shown.share()).isZero();
    assertThat(shown.pairs()).containsExactly(FoundedTwin.keys(2));
  }
}

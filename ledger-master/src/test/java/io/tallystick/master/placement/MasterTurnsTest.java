package io.tallystick.master.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.master.coordinated.FoundedTwin;
import io.tallystick.master.placement.MasterTurns.Move;
import io.tallystick.master.presence.Presence;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.master.presence.ShardLoad;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.stream.StreamId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: the leading master gives each shard a live server, not twice in ten seconds, and nothing
/// else. Method: a twin of ZooKeeper and a clock that the test moves.
class MasterTurnsTest {
  private static final Duration APART = Duration.ofSeconds(10);

  private FoundedTwin cluster;
  private Suspicion suspicion;
  private MasterTurns master;
  private boolean leads = true;
  private final Coordination[] servers = new Coordination[3];
  private final List<Presence> presences = new ArrayList<>();

  @BeforeEach
  void found() throws Exception {
    cluster = new FoundedTwin(new SplittableRandom(1), 4);
    suspicion = new Suspicion(APART, cluster::nanos, () -> cluster.nowMs);
    master = master(suspicion);
    for (int i = 0; i < 2; i++) {
      servers[i] = cluster.client();
      cluster.show(servers[i], name(i));
    }
  }

  private MasterTurns master(Suspicion with) {
    return new MasterTurns(
        cluster.client(),
        FoundedTwin.PATHS,
        with,
        MasterTurns.Settings.DEFAULT,
        () -> leads,
        () -> cluster.nowMs,
        cluster.random);
  }

  private static String name(int server) {
    return "abc".substring(server, server + 1);
  }

  private String target(int shard) throws Exception {
    return ShardTarget.decode(
            "target",
            cluster.client().read(FoundedTwin.PATHS.target(new StreamId(shard))).orElseThrow())
        .server();
  }

  private void claimTargets() throws Exception {
    for (int shard = 0; shard < 4; shard++) {
      if (!cluster.owner(shard).equals(target(shard))) {
        cluster.claims(cluster.client(), target(shard)).claim(new StreamId(shard));
      }
    }
  }

  @Test
  void givesEachShardATargetAndThenIsQuiet() throws Exception {
    assertThat(master.turn())
        .containsExactly(
            new Move(0, "", "a"), new Move(1, "", "b"), new Move(2, "", "a"), new Move(3, "", "b"));
    claimTargets();
    cluster.pass(APART);
    assertThat(master.turn()).isEmpty();
  }

  @Test
  void doesNothingWhileItDoesNotLead() throws Exception {
    leads = false;
    assertThat(master.turn()).isEmpty();
    assertThat(cluster.client().read(FoundedTwin.PATHS.target(new StreamId(0)))).isEmpty();
  }

  @Test
  void movesTheShardsOfAServerWhoseSessionEnded() throws Exception {
    master.turn();
    claimTargets();
    cluster.pass(APART);
    master.turn();
    cluster.pass(APART);
    cluster.twin.expire(servers[0]);
    assertThat(master.turn()).containsExactly(new Move(0, "a", "b"), new Move(2, "a", "b"));
  }

  @Test
  void movesTheShardsOfAServerToWhichItsStreamWasReset() throws Exception {
    master.turn();
    claimTargets();
    master.turn();
    cluster.pass(APART);
    PresentServer a =
        new PresentServers(cluster.client(), FoundedTwin.PATHS).read("a").orElseThrow();
    suspicion.streamReset("a", a.incarnation() + 1);
    assertThat(master.turn()).as("of a server that is no more").isEmpty();
    suspicion.streamReset("a", a.incarnation());
    assertThat(master.turn()).hasSize(2);
    suspicion.streamUp("a");
    cluster.pass(APART);
    master.turn();
    cluster.pass(APART);
    master.turn();
    assertThat(List.of(target(0), target(1), target(2), target(3))).contains("a", "b");
  }

  @Test
  void suspectsAShardOnceInTenSeconds() throws Exception {
    master.turn();
    claimTargets();
    master.turn();
    cluster.twin.expire(servers[0]);
    cluster.pass(APART.minusMillis(1));
    assertThat(master.turn()).isEmpty();
    cluster.pass(Duration.ofMillis(1));
    assertThat(master.turn()).hasSize(2);
  }

  /// A target says when it was written: a master that begins to lead need not wait, nor hurry.
  @Test
  void goesOnWhereAnotherMasterStopped() throws Exception {
    master.turn();
    claimTargets();
    cluster.twin.expire(servers[0]);
    cluster.pass(APART.minusMillis(1));
    assertThat(master(new Suspicion(APART, cluster::nanos, () -> cluster.nowMs)).turn()).isEmpty();
    cluster.pass(Duration.ofMillis(1));
    assertThat(master(new Suspicion(APART, cluster::nanos, () -> cluster.nowMs)).turn()).hasSize(2);
  }

  /// Another master's write came late: what it says about the time is no longer true.
  @Test
  void believesItsOwnClockAboutATargetThatItSawAppear() throws Exception {
    master.turn();
    claimTargets();
    master.turn();
    cluster.pass(APART);
    ShardTarget late = new ShardTarget("a", cluster.nowMs - APART.toMillis(), 5);
    cluster
        .client()
        .commit(
            List.of(
                new Coordination.Change.Put(
                    FoundedTwin.PATHS.target(new StreamId(0)),
                    late.encode(),
                    Coordination.Change.ANY)));
    cluster.twin.expire(servers[0]);
    assertThat(master.turn()).containsExactly(new Move(2, "a", "b"));
    cluster.pass(APART);
    assertThat(master.turn()).containsExactly(new Move(0, "a", "b"));
  }

  @Test
  void emptiesADrainedServerAndDoesWhatAnOperatorWants() throws Exception {
    master.turn();
    claimTargets();
    master.turn();
    cluster.pass(APART);
    PlacementWishes wishes =
        new PlacementWishes(
            cluster.client(), FoundedTwin.PATHS, () -> cluster.nowMs, cluster.random);
    wishes.drain("a");
    wishes.drain("a");
    assertThat(master.turn()).containsExactly(new Move(0, "a", "b"), new Move(2, "a", "b"));
    claimTargets();
    wishes.undrain("a");
    wishes.undrain("a");
    wishes.want(1, "b");
    wishes.want(1, "a");
    cluster.pass(APART);
    master.turn();
    cluster.pass(APART);
    master.turn();
    assertThat(target(1)).isEqualTo("a");
    wishes.leave(1);
    wishes.leave(1);
    assertThat(cluster.client().read(FoundedTwin.PATHS.wanted(new StreamId(1)))).isEmpty();
  }

  /// A target that does nothing about a shard whose owner is lost is passed over.
  @Test
  void asksAnotherServerWhenTheFirstDeclines() throws Exception {
    String first = loseTheOwnerOfShard0(new ArrayList<>());
    cluster.pass(Duration.ofSeconds(29));
    master.turn();
    assertThat(target(0)).isEqualTo(first);
    cluster.pass(Duration.ofSeconds(1));
    master.turn();
    assertThat(target(0)).isNotIn("a", first);
  }

  /// Of a shard that was to move: the server can neither claim nor open it, and its owner is there.
  @Test
  void aShardGoesBackIfWhoeverIsToWriteItCannot() throws Exception {
    presentWithLoads();
    new PlacementWishes(cluster.client(), FoundedTwin.PATHS, () -> cluster.nowMs, cluster.random)
        .want(0, "b");
    cluster.pass(APART);
    assertThat(master.turn()).contains(new Move(0, "a", "b"));
    master.turn();
    cluster.pass(Duration.ofSeconds(29));
    assertThat(master.turn()).isEmpty();
    cluster.pass(Duration.ofSeconds(1));
    assertThat(master.turn()).contains(new Move(0, "b", "a"));
    cluster.pass(Duration.ofMinutes(5));
    assertThat(master.turn()).as("it is not asked again").isEmpty();
  }

  @Test
  void aShardGoesElsewhereIfItsOwnerCannotOpenIt() throws Exception {
    presentWithLoads();
    Objects.requireNonNull(loadsOf.get("a")).removeIf(load -> load.shard() == 0);
    cluster.pass(APART);
    presences.getFirst().turn();
    master.turn();
    cluster.pass(Duration.ofSeconds(30));
    assertThat(master.turn()).containsExactly(new Move(0, "a", "b"));
  }

  /// A server's word that it follows a shard, or is to write it, serves nobody.
  @Test
  void countsTheShardsThatNobodyServesWhileItLeads() throws Exception {
    assertThat(master.unserved()).isEmpty();
    master.turn();
    assertThat(master.unserved()).hasValue(4);
    presentWithLoads();
    assertThat(master.unserved()).hasValue(0);
    List<ShardLoad> loads = Objects.requireNonNull(loadsOf.get("a"));
    loads.removeIf(load -> load.shard() == 0);
    loads.add(new ShardLoad(0, false, 0, 0));
    cluster.pass(APART);
    presences.getFirst().turn();
    master.turn();
    assertThat(master.unserved()).hasValue(1);
    leads = false;
    master.turn();
    assertThat(master.unserved()).isEmpty();
  }

  private final Map<String, List<ShardLoad>> loadsOf = new HashMap<>();

  /// Two servers that show what they write.
  private void presentWithLoads() throws Exception {
    master.turn();
    claimTargets();
    for (int i = 0; i < 2; i++) {
      cluster.twin.expire(servers[i]);
      List<ShardLoad> loads = new ArrayList<>();
      for (int shard = i; shard < 4; shard += 2) {
        loads.add(new ShardLoad(shard, true, 0, 0));
      }
      loadsOf.put(name(i), loads);
      presences.add(cluster.presence(servers[i], cluster.self(name(i)), () -> loads));
      presences.getLast().turn();
    }
    cluster.pass(APART);
    master.turn();
  }

  @Test
  void waitsForAServerThatPrepares() throws Exception {
    List<ShardLoad> loads = new ArrayList<>();
    String first = loseTheOwnerOfShard0(loads);
    loads.add(new ShardLoad(0, false, 0, 0));
    presences.get("bc".indexOf(first)).turn();
    cluster.pass(Duration.ofSeconds(60));
    master.turn();
    assertThat(target(0)).isEqualTo(first);
  }

  @Test
  void movesAllShardsFromAServerThatMustNotClaim() throws Exception {
    AtomicInteger share = new AtomicInteger(4);
    servers[2] = cluster.client();
    Presence c =
        cluster.presenceAs(
            servers[2],
            cluster.self("c"),
            () -> new Presence.Now(0, share.get(), List.of(), List.of()));
    c.turn();
    cluster.twin.expire(servers[0]);
    cluster.twin.expire(servers[1]);
    master.turn();
    claimTargets();
    assertThat(target(0)).isEqualTo("c");
    cluster.show(cluster.client(), "b");
    share.set(0);
    cluster.pass(APART);
    c.turn();
    master.turn();
    cluster.pass(APART);
    master.turn();
    for (int shard = 0; shard < 4; shard++) {
      assertThat(target(shard)).isEqualTo("b");
    }
  }

  /// @param loads of both servers that are left
  /// @return the one that shall take over
  private String loseTheOwnerOfShard0(List<ShardLoad> loads) throws Exception {
    servers[2] = cluster.client();
    cluster.twin.expire(servers[1]);
    for (int i = 1; i < servers.length; i++) {
      presences.add(cluster.presence(servers[i], cluster.self(name(i)), () -> loads));
      presences.getLast().turn();
    }
    master.turn();
    claimTargets();
    master.turn();
    cluster.pass(APART);
    assertThat(target(0)).isEqualTo("a");
    cluster.twin.expire(servers[0]);
    master.turn();
    master.turn();
    assertThat(target(0)).isNotEqualTo("a");
    return target(0);
  }
}

package io.tallystick.master.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.master.coordinated.FoundedTwin;
import io.tallystick.model.LedgerId;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.ShardClaim;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinFaults;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a ledger is founded in one shard of a cluster, and nobody is told that it is unknown while
/// it is not.
class ClusterRegistryTest {
  private static final LedgerId LEDGER = new LedgerId(FoundedTwin.digest(7));

  private FoundedTwin cluster;
  private Coordination client;
  private ClusterRegistry registry;

  @BeforeEach
  void found() throws Exception {
    cluster = new FoundedTwin(new SplittableRandom(1), 4);
    client = cluster.client();
    registry = registry(client);
  }

  private ClusterRegistry registry(Coordination of) {
    return new ClusterRegistry(of, FoundedTwin.PATHS, cluster.random);
  }

  private RegistryRebuild rebuild() {
    return new RegistryRebuild(cluster.client(), FoundedTwin.PATHS, cluster.random);
  }

  private ShardClaim claim(int shard) throws Exception {
    return cluster.claims(client, "a").claim(new StreamId(shard));
  }

  @Test
  void registersALedgerOnceAndNamesTheShardThatHasIt() throws Exception {
    ShardClaim two = claim(2);
    assertThat(registry.found(two, LEDGER))
        .isEqualTo(new ClusterRegistry.Registration(2, true));
    assertThat(registry.found(claim(3), LEDGER))
        .isEqualTo(new ClusterRegistry.Registration(2, false));
    assertThat(registry.found(two, LEDGER))
        .isEqualTo(new ClusterRegistry.Registration(2, false));
    assertThat(registry.find(LEDGER)).hasValue(2);
    assertThat(registry.find(new LedgerId(FoundedTwin.digest(8)))).isEmpty();
  }

  @Test
  void registersNothingForAnOwnerOfThePast() throws Exception {
    ShardClaim old = claim(2);
    cluster.claims(cluster.client(), "b").claim(new StreamId(2));
    assertThatThrownBy(() -> registry.found(old, LEDGER))
        .isInstanceOf(StreamFencedException.class)
        .hasMessage("shard 2: another has claimed it since epoch 1");
    assertThat(registry.find(LEDGER)).isEmpty();
  }

  @Test
  void saysUnknownOnlyBehindAWrite() throws Exception {
    Coordination late = cluster.client();
    assertThat(late.read(FoundedTwin.PATHS.ledger(LEDGER))).isEmpty();
    registry.found(claim(2), LEDGER);
    cluster.twin.faults(new TwinFaults(0, 0, 0, 1000, 0));
    assertThat(late.read(FoundedTwin.PATHS.ledger(LEDGER))).as("an old read").isEmpty();
    assertThat(registry(late).find(LEDGER)).hasValue(2);
  }

  @Test
  void doesNotSayUnknownWhileItCannotWrite() throws Exception {
    LedgerId unknown = new LedgerId(FoundedTwin.digest(9));
    cluster.twin.faults(new TwinFaults(0, 1000, 0, 0, 0));
    assertThatThrownBy(() -> registry.find(unknown)).isInstanceOf(IOException.class);
    cluster.twin.faults(new TwinFaults(0, 0, 1000, 0, 0));
    assertThatThrownBy(() -> registry.find(unknown)).isInstanceOf(IOException.class);
  }

  @Test
  void isRebuiltFromTheShards() throws Exception {
    registry.found(claim(2), LEDGER);
    loseAll();
    assertThatThrownBy(() -> registry.find(LEDGER))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessage("the registry of ledgers is lost; rebuild it");
    assertThatThrownBy(() -> registry.found(claim(1), LEDGER))
        .isInstanceOf(RegistryUnavailableException.class);
    LedgerId other = new LedgerId(FoundedTwin.digest(300));
    assertThat(rebuild().run(() -> Map.of(2, List.of(LEDGER), 1, List.of(other)))).isEqualTo(2);
    assertThat(registry.find(LEDGER)).hasValue(2);
    assertThat(registry.find(other)).hasValue(1);
    assertThat(registry.found(claim(1), LEDGER).shard()).isEqualTo(2);
    assertThat(rebuild().run(() -> Map.of(2, List.of(LEDGER)))).isZero();
  }

  private void loseAll() throws Exception {
    Deque<String> paths = new ArrayDeque<>();
    paths.push(FoundedTwin.PATHS.ledgers());
    while (!paths.isEmpty()) {
      List<String> children = client.children(paths.peek());
      if (children.isEmpty()) {
        client.commit(
            List.of(new Coordination.Change.Delete(paths.pop(), Coordination.Change.ANY)));
      } else {
        paths.push(paths.peek() + "/" + children.getFirst());
      }
    }
  }

  @Test
  void foundsNothingWhileItIsBeingRebuilt() throws Exception {
    ShardClaim two = claim(2);
    LedgerId unknown = new LedgerId(FoundedTwin.digest(9));
    rebuild()
        .run(() -> {
          assertThatThrownBy(() -> registry.found(two, LEDGER))
              .isInstanceOf(RegistryUnavailableException.class)
              .hasMessage("the registry of ledgers is being rebuilt");
          assertThatThrownBy(() -> registry.find(unknown))
              .isInstanceOf(RegistryUnavailableException.class);
          return Map.of();
        });
    assertThat(registry.found(two, LEDGER).isNew()).isTrue();
  }

  @Test
  void stopsARebuildThatFindsALedgerInTwoShards() throws Exception {
    assertThatThrownBy(
            () -> rebuild().run(() -> Map.of(1, List.of(LEDGER), 3, List.of(LEDGER))))
        .isInstanceOfSatisfying(
            LedgerInTwoShardsException.class,
            e -> {
              assertThat(e.ledger()).isEqualTo(LEDGER);
              assertThat(e.first()).isEqualTo(1);
              assertThat(e.second()).isEqualTo(3);
            })
        .hasMessage("ledger " + LEDGER + " is in shards 1 and 3: both have it");
    assertThatThrownBy(() -> registry.find(LEDGER)).isInstanceOf(RegistryUnavailableException.class);
  }

  @Test
  void stopsARebuildThatFindsALedgerRegisteredForAnotherShard() throws Exception {
    registry.found(claim(2), LEDGER);
    assertThatThrownBy(() -> rebuild().run(() -> Map.of(3, List.of(LEDGER))))
        .isInstanceOfSatisfying(
            LedgerInTwoShardsException.class,
            e -> assertThat(List.of(e.first(), e.second())).containsExactly(2, 3));
  }

  @Test
  void endsARebuildDuringWhichAnotherBegan() throws Exception {
    assertThatThrownBy(
            () ->
                rebuild()
                    .run(() -> {
                      try {
                        rebuild().run(Map::of);
                      } catch (Exception e) {
                        throw new AssertionError(e);
                      }
                      return Map.of(1, List.of(LEDGER));
                    }))
        .isInstanceOf(IOException.class);
    assertThat(registry.find(LEDGER)).isEmpty();
  }

  /// Owners of different shards found the same ledgers at any step of each other; answers are lost.
  /// Whoever is told that the ledger is in its shard is right, and so is whoever is told where else.
  @Seeded(runs = 60)
  void hasOneWinnerOfAFoundingRace(SplittableRandom random) throws Exception {
    cluster = new FoundedTwin(random, 4);
    Deque<Runnable> others = new ArrayDeque<>();
    Steps interrupt =
        what -> {
          if (random.nextInt(3) == 0 && !others.isEmpty()) {
            others.pop().run();
          }
        };
    Map<LedgerId, Map<Integer, Integer>> told = new HashMap<>();
    for (int shard = 0; shard < 4; shard++) {
      Coordination own = cluster.twin.client(interrupt);
      ShardClaim claim = cluster.claims(own, "s" + shard).claim(new StreamId(shard));
      ClusterRegistry of = registry(own);
      for (int ledger = 0; ledger < 5; ledger++) {
        LedgerId id = new LedgerId(FoundedTwin.digest(ledger));
        others.add(() -> foundAndNote(of, claim, id, told));
      }
    }
    cluster.twin.faults(new TwinFaults(0, 300, 50, 200, 0));
    while (!others.isEmpty()) {
      others.pop().run();
    }
    cluster.twin.faults(TwinFaults.NONE);
    for (Map.Entry<LedgerId, Map<Integer, Integer>> each : told.entrySet()) {
      OptionalInt stands = registry(cluster.client()).find(each.getKey());
      assertThat(each.getValue().values()).allMatch(shard -> shard == stands.orElse(-1));
    }
    assertThat(told).isNotEmpty();
  }

  private static void foundAndNote(
      ClusterRegistry registry,
      ShardClaim claim,
      LedgerId ledger,
      Map<LedgerId, Map<Integer, Integer>> told) {
    try {
      int shard = registry.found(claim, ledger).shard();
      told.computeIfAbsent(ledger, each -> new HashMap<>()).put(claim.shard().shard(), shard);
    } catch (IOException _) {
      // Its client is told nothing.
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}

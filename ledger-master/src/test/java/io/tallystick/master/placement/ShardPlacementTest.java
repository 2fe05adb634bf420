package io.tallystick.master.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.master.placement.ShardPlacement.Candidate;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.master.presence.ShardLoad;
import io.tallystick.testkit.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Goal: shards are spread evenly, with as few moves as that takes.
class ShardPlacementTest {
  private static PresentServer server(String id, int share, ShardLoad... loads) {
    return new PresentServer(id, 1, id + ":7", 0, share, List.of(), List.of(loads), 0);
  }

  private static ShardLoad follows(int shard) {
    return new ShardLoad(shard, false, 0, 0);
  }

  private static ShardLoad owns(int shard, long bytes) {
    return new ShardLoad(shard, true, bytes, 0);
  }

  private static Candidate at(int shard, String server) {
    return new Candidate(
        shard,
        server,
        server.isEmpty() ? Optional.empty() : Optional.of(server),
        Optional.empty(),
        Set.of());
  }

  private static Candidate wanted(int shard, String server, String wanted) {
    return new Candidate(shard, server, Optional.of(server), Optional.of(wanted), Set.of());
  }

  private static List<Candidate> spread(int count, String... servers) {
    List<Candidate> all = new ArrayList<>();
    for (int shard = 0; shard < count; shard++) {
      all.add(at(shard, servers[shard % servers.length]));
    }
    return all;
  }

  @Test
  void placesShardsOfALostServerWhereTheyAreFollowed() {
    SortedMap<Integer, String> placed =
        ShardPlacement.place(
            List.of(server("b", 8, follows(3)), server("c", 8, follows(0))),
            List.of(at(0, ""), at(1, "b"), at(2, "c"), at(3, "")));
    assertThat(placed).isEqualTo(Map.of(0, "c", 1, "b", 2, "c", 3, "b"));
  }

  @Test
  void prefersAFollowerOverAServerWithLess() {
    SortedMap<Integer, String> placed =
        ShardPlacement.place(
            List.of(server("b", 8), server("c", 8, follows(0), owns(2, 1))),
            List.of(at(0, ""), at(1, "b"), at(2, "c")));
    assertThat(placed).containsEntry(0, "c");
  }

  @Test
  void givesTheHeaviestShardsToServersWithTheLeastLoad() {
    SortedMap<Integer, String> placed =
        ShardPlacement.place(
            List.of(
                server("a", 8, owns(0, 1000)),
                server("b", 8, owns(1, 10)),
                server("c", 8, owns(2, 500))),
            List.of(at(0, "a"), at(1, "b"), at(2, "c"), at(3, "")));
    assertThat(placed).containsEntry(3, "b");
  }

  @Test
  void movesTheLightestShardsToANewServer() {
    SortedMap<Integer, String> placed =
        ShardPlacement.place(
            List.of(
                server("a", 8, owns(0, 50), owns(1, 9), owns(2, 40), owns(3, 8)), server("b", 8)),
            spread(4, "a"));
    assertThat(placed).isEqualTo(Map.of(0, "a", 1, "b", 2, "a", 3, "b"));
  }

  @Test
  void doesWhatAnOperatorWantsBeforeBalanceAndNoLongerThanTheServerIsThere() {
    List<Candidate> all = spread(4, "a", "b");
    all.set(1, wanted(1, "b", "a"));
    all.set(3, wanted(3, "b", "a"));
    all.set(2, wanted(2, "a", "a"));
    assertThat(ShardPlacement.place(List.of(server("a", 8), server("b", 8)), all))
        .isEqualTo(Map.of(0, "b", 1, "a", 2, "a", 3, "a"));
    assertThat(ShardPlacement.place(List.of(server("b", 8), server("c", 8)), all))
        .containsEntry(1, "b")
        .containsEntry(3, "b");
  }

  @Test
  void leavesAShardWhereNoOtherServerHasRoom() {
    List<Candidate> all = spread(5, "a");
    SortedMap<Integer, String> placed = ShardPlacement.place(List.of(server("b", 3)), all);
    assertThat(placed).hasSize(3).containsValue("b");
    assertThat(ShardPlacement.place(List.of(), all)).isEmpty();
  }

  @Test
  void asksNobodyWhoDeclined() {
    Candidate declined = new Candidate(0, "z", Optional.empty(), Optional.of("b"), Set.of("b"));
    assertThat(
            ShardPlacement.place(
                List.of(server("b", 8, follows(0)), server("c", 8)), List.of(declined, at(1, "c"))))
        .isEqualTo(Map.of(0, "c", 1, "c"));
  }

  /// Any servers, shares, loads and places: even counts within the shares, shards move only as far
  /// as that needs, and what was placed stays placed.
  @Seeded(runs = 300)
  void isEvenMovesLittleAndSettles(SplittableRandom random) {
    List<PresentServer> servers = new ArrayList<>();
    int serverCount = random.nextInt(1, 7);
    for (int i = 0; i < serverCount; i++) {
      servers.add(server("s" + i, random.nextInt(1, 17)));
    }
    int shardCount = random.nextInt(1, 33);
    List<Candidate> shards = new ArrayList<>();
    for (int shard = 0; shard < shardCount; shard++) {
      int on = random.nextInt(serverCount + 1);
      shards.add(at(shard, on == serverCount ? "" : "s" + on));
    }
    SortedMap<Integer, String> placed = ShardPlacement.place(servers, shards);
    Map<String, Integer> counts = counts(placed);
    int room = servers.stream().mapToInt(PresentServer::share).sum();
    assertThat(placed).hasSize(Math.min(room, shardCount));
    int most = counts.values().stream().mapToInt(each -> each).max().orElse(0);
    for (PresentServer server : servers) {
      int count = counts.getOrDefault(server.id(), 0);
      assertThat(count).isLessThanOrEqualTo(server.share());
      assertThat(count).isGreaterThanOrEqualTo(Math.min(most - 1, server.share()));
    }
    assertThat(moved(shards, placed)).isEqualTo(movesNeeded(shards, servers, counts));
    List<Candidate> after = new ArrayList<>();
    shards.forEach(shard -> after.add(at(shard.shard(), placed.getOrDefault(shard.shard(), ""))));
    assertThat(ShardPlacement.place(servers, after)).isEqualTo(placed);
  }

  private static Map<String, Integer> counts(SortedMap<Integer, String> placed) {
    Map<String, Integer> counts = new HashMap<>();
    placed.values().forEach(server -> counts.merge(server, 1, Integer::sum));
    return counts;
  }

  private static long moved(List<Candidate> shards, SortedMap<Integer, String> placed) {
    return shards.stream()
        .filter(shard -> shard.stands().isPresent())
        .filter(shard -> !shard.stands().get().equals(placed.get(shard.shard())))
        .count();
  }

  /// Those that a server has above its count must go, and no others.
  private static long movesNeeded(
      List<Candidate> shards, List<PresentServer> servers, Map<String, Integer> counts) {
    long moves = 0;
    for (PresentServer server : servers) {
      long held =
          shards.stream().filter(shard -> shard.stands().equals(Optional.of(server.id()))).count();
      moves += Math.max(0, held - counts.getOrDefault(server.id(), 0));
    }
    return moves;
  }
}

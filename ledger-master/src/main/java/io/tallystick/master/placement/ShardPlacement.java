package io.tallystick.master.placement;

import io.tallystick.master.presence.PresentServer;
import io.tallystick.master.presence.ShardLoad;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/// Decides which server shall write each shard. Every server gets as many shards as any other, give
/// or take one, within its share; as few shards move as that takes. Where there is a choice, a shard
/// stays or goes where it is followed, and loads even out. Loads alone move nothing: they change
/// faster than a shard can be moved. What an operator wants goes before balance.
final class ShardPlacement {
  private final Map<Integer, Candidate> shards = new TreeMap<>();
  private final SortedMap<String, Seat> seats = new TreeMap<>();
  private final SortedMap<Integer, String> placed = new TreeMap<>();

  /// A shard that is to be placed.
  ///
  /// @param owner that writes it, perhaps no longer
  /// @param stands where it is, or is about to be
  /// @param wanted by an operator
  /// @param declined by servers that were to write it and did not
  record Candidate(
      int shard,
      String owner,
      Optional<String> stands,
      Optional<String> wanted,
      Set<String> declined) {}

  /// What a server can take.
  private static final class Seat {
    final PresentServer server;
    final List<Integer> held = new ArrayList<>();
    int placed;
    long weight;
    int quota;

    /// One more than the quota, or the quota: while there are spare ones.
    int most;

    Seat(PresentServer server) {
      this.server = server;
    }

    int within(int level) {
      return Math.max(placed, Math.min(level, server.share()));
    }
  }

  private final Map<Integer, Long> weights = new HashMap<>();

  private ShardPlacement(List<PresentServer> servers, List<Candidate> candidates) {
    for (PresentServer server : servers) {
      seats.put(server.id(), new Seat(server));
      for (ShardLoad load : server.shards()) {
        weights.merge(load.shard(), load.weight(), Math::max);
      }
    }
    candidates.forEach(candidate -> shards.put(candidate.shard(), candidate));
  }

  /// The server of each shard that can be placed; a shard that is not named stays where it is.
  ///
  /// @param servers that may write shards: alive and not drained
  static SortedMap<Integer, String> place(
      List<PresentServer> servers, List<Candidate> candidates) {
    ShardPlacement placement = new ShardPlacement(servers, candidates);
    if (!servers.isEmpty()) {
      placement.placeWanted();
      int spare = placement.share();
      placement.keep();
      placement.placeOthers(spare);
    }
    return placement.placed;
  }

  private void placeWanted() {
    for (Candidate shard : shards.values()) {
      if (shard.wanted().isPresent() && !shard.declined().contains(shard.wanted().get())) {
        Seat seat = seats.get(shard.wanted().get());
        if (seat != null && seat.placed < seat.server.share()) {
          put(shard, seat);
        }
      }
    }
  }

  private void put(Candidate shard, Seat seat) {
    placed.put(shard.shard(), seat.server.id());
    seat.placed++;
    seat.weight += weights.getOrDefault(shard.shard(), 0L);
  }

  /// Sets each server's quota. What is left of an uneven division goes to servers that hold more
  /// already.
  ///
  /// @return how many servers may get one more than their quota
  private int share() {
    for (Candidate shard : shards.values()) {
      Seat seat = shard.stands().map(seats::get).orElse(null);
      if (seat != null && !placed.containsKey(shard.shard())) {
        seat.held.add(shard.shard());
      }
    }
    int level = 0;
    while (level < shards.size() && sum(level + 1) <= shards.size()) {
      level++;
    }
    int spare = shards.size() - sum(level);
    List<Seat> byHeld = new ArrayList<>(seats.values());
    byHeld.sort(Comparator.comparingInt((Seat seat) -> -seat.placed - seat.held.size()));
    for (Seat seat : byHeld) {
      seat.quota = seat.within(level);
      seat.most = seat.within(level + 1);
      boolean holdsMore = seat.placed + seat.held.size() > seat.quota;
      if (spare > 0 && holdsMore && seat.most > seat.quota) {
        seat.quota = seat.most;
        spare--;
      }
    }
    return spare;
  }

  private int sum(int level) {
    return seats.values().stream().mapToInt(seat -> seat.within(level)).sum();
  }

  /// Keeps shards where they are up to the quotas: those first that need not be claimed, then the
  /// heavy ones.
  private void keep() {
    for (Seat seat : seats.values()) {
      seat.held.sort(
          Comparator.comparing((Integer shard) -> !owns(seat, shard))
              .thenComparing(shard -> -weights.getOrDefault(shard, 0L)));
      for (int shard : seat.held) {
        if (seat.placed < seat.quota) {
          put(candidate(shard), seat);
        }
      }
    }
  }

  private Candidate candidate(int shard) {
    Candidate candidate = shards.get(shard);
    if (candidate == null) {
      throw new AssertionError("shard " + shard + " is not to be placed");
    }
    return candidate;
  }

  private boolean owns(Seat seat, int shard) {
    return candidate(shard).owner().equals(seat.server.id());
  }

  private void placeOthers(int spareAtFirst) {
    List<Candidate> others = new ArrayList<>(shards.values());
    others.removeIf(shard -> placed.containsKey(shard.shard()));
    others.sort(
        Comparator.comparing(
            (Candidate shard) -> -weights.getOrDefault(shard.shard(), 0L)));
    int spare = spareAtFirst;
    for (Candidate shard : others) {
      boolean more = spare > 0;
      Optional<Seat> seat = best(shard, each -> each.placed < (more ? each.most : each.quota));
      if (seat.isEmpty() && !stays(shard)) {
        seat = best(shard, each -> true);
      }
      if (seat.isPresent()) {
        spare -= seat.get().placed >= seat.get().quota ? 1 : 0;
        put(shard, seat.get());
      }
    }
  }

  /// Whether it has somewhere to be if no other server has room.
  private boolean stays(Candidate shard) {
    return shard.stands().isPresent() && seats.containsKey(shard.stands().get());
  }

  private Optional<Seat> best(Candidate shard, Predicate<Seat> hasRoom) {
    return seats.values().stream()
        .filter(seat -> seat.placed < seat.server.share())
        .filter(seat -> !shard.declined().contains(seat.server.id()))
        .filter(hasRoom)
        .min(
            Comparator.comparing((Seat seat) -> !seat.server.follows(shard.shard()))
                .thenComparingInt(seat -> seat.placed)
                .thenComparingLong(seat -> seat.weight)
                .thenComparing(seat -> seat.server.id()));
  }
}

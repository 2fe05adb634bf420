package io.tallystick.master.placement;

import io.tallystick.master.coordinated.SettledChanges;
import io.tallystick.master.placement.ClusterSeen.ShardSeen;
import io.tallystick.master.placement.ShardPlacement.Candidate;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/// What the leading master does every second or so: it reads the cluster, and writes the target of
/// each shard that shall have another. A target is written over the one that was read, and no
/// other: two masters that both take themselves for the leader do no harm. One thread uses it.
public final class MasterTurns {
  private final Coordination coordination;
  private final SettledChanges changes;
  private final ClusterPaths paths;
  private final ShardClaims owners;
  private final Suspicion suspicion;
  private final Declined declined;
  private final BooleanSupplier leads;
  private final LongSupplier timeMs;
  private final RandomGenerator nonces;
  private volatile OptionalInt unserved = OptionalInt.empty();

  /// A shard that got a target.
  public record Move(int shard, String from, String to) {}

  /// How patient a master is.
  ///
  /// @param patience how long a server may do nothing about a shard that it is to take over; longer
  ///   than a suspicion lasts
  public record Settings(Duration patience) {
    /// Half a minute: a server that has begun is seen to follow the shard within seconds.
    public static final Settings DEFAULT = new Settings(Duration.ofSeconds(30));
  }

  /// @param leads whether this master is the leading one
  /// @param timeMs milliseconds since 1970
  public MasterTurns(
      Coordination coordination,
      ClusterPaths paths,
      Suspicion suspicion,
      Settings settings,
      BooleanSupplier leads,
      LongSupplier timeMs,
      RandomGenerator nonces) {
    this.coordination = coordination;
    this.changes = new SettledChanges(coordination);
    this.paths = paths;
    this.owners = new ShardClaims(coordination, paths, new ShardClaims.Server("", "", 0), nonces);
    this.suspicion = suspicion;
    this.declined = new Declined(settings.patience(), suspicion::nanoTime);
    this.leads = leads;
    this.timeMs = timeMs;
    this.nonces = nonces;
  }

  /// Writes the targets that are due, if this master leads.
  ///
  /// @return those that it wrote
  /// @throws IOException if the cluster could not be read, or a target's outcome is not known; the
  ///   next turn looks again
  public List<Move> turn() throws IOException, CorruptStreamException {
    unserved = OptionalInt.empty();
    if (!leads.getAsBoolean()) {
      return List.of();
    }
    ClusterSeen seen = ClusterSeen.read(coordination, paths, owners);
    unserved = OptionalInt.of(unserved(seen));
    Map<String, PresentServer> usable = new TreeMap<>(seen.servers());
    usable
        .values()
        .removeIf(server ->
            !suspicion.isAlive(server)
                || server.share() == 0 // it must not claim
                || seen.drained().contains(server.id()));
    List<Candidate> candidates = new ArrayList<>();
    seen.shards().forEach((shard, each) -> candidates.add(candidate(shard, each, usable)));
    SortedMap<Integer, String> placed =
        ShardPlacement.place(List.copyOf(usable.values()), candidates);
    List<Move> moves = new ArrayList<>();
    for (Map.Entry<Integer, ShardSeen> each : seen.shards().entrySet()) {
      String server = placed.get(each.getKey());
      if (server != null) {
        write(each.getKey(), each.getValue(), server).ifPresent(moves::add);
      }
    }
    return moves;
  }

  /// How many shards no server that was there had open for writing; empty if the last turn did not
  /// look. Any thread asks.
  public OptionalInt unserved() {
    return unserved;
  }

  private static int unserved(ClusterSeen seen) {
    return (int)
        seen.shards().keySet().stream()
            .filter(
                shard -> seen.servers().values().stream().noneMatch(server -> server.writes(shard)))
            .count();
  }

  private Candidate candidate(int shard, ShardSeen seen, Map<String, PresentServer> usable) {
    suspicion.look(shard, seen);
    Set<String> without = declined.look(shard, seen, usable);
    Optional<String> stands =
        seen.target()
            .map(ShardTarget::server)
            .filter(server -> canStand(server, usable, without))
            .or(() ->
                Optional.of(seen.owner().server())
                    .filter(server -> canStand(server, usable, without)));
    return new Candidate(
        shard, seen.owner().server(), stands, seen.wanted().map(ShardTarget::server), without);
  }

  private static boolean canStand(
      String server, Map<String, PresentServer> usable, Set<String> without) {
    return usable.containsKey(server) && !without.contains(server);
  }

  private Optional<Move> write(int shard, ShardSeen seen, String server) throws IOException {
    String before = seen.target().map(ShardTarget::server).orElse("");
    if (before.equals(server) || !suspicion.mayChange(shard, seen)) {
      return Optional.empty();
    }
    String path = paths.target(new StreamId(shard));
    ShardTarget target = new ShardTarget(server, timeMs.getAsLong(), nonces.nextLong());
    Change change =
        seen.target().isPresent()
            ? new Change.Put(path, target.encode(), seen.targetVersion())
            : new Change.Create(path, target.encode(), false);
    try {
      changes.commit(List.of(change));
      return Optional.of(new Move(shard, before, server));
    } catch (ChangeRefusedException _) {
      return Optional.empty(); // another master was first
    }
  }
}

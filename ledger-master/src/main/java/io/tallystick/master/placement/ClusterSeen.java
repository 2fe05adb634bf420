package io.tallystick.master.placement;

import io.tallystick.master.presence.PresentServer;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardOwner;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// Servers and shards of a cluster, read one after the other: a part may be older than another.
///
/// @param servers that are there, by id
/// @param drained ids of servers that shall write no shard
/// @param shards by number, without those that no server may claim
public record ClusterSeen(
    SortedMap<String, PresentServer> servers,
    Set<String> drained,
    SortedMap<Integer, ShardSeen> shards) {
  /// A shard as it was read.
  ///
  /// @param targetVersion of the path of the target; -1 if there is none
  public record ShardSeen(
      ShardOwner owner,
      Optional<ShardTarget> target,
      int targetVersion,
      Optional<ShardTarget> wanted) {}

  public ClusterSeen {
    servers = Collections.unmodifiableSortedMap(new TreeMap<>(servers));
    drained = Set.copyOf(drained);
    shards = Collections.unmodifiableSortedMap(new TreeMap<>(shards));
  }

  /// Reads what is there.
  ///
  /// @param claims of which only the reading of owners is used
  public static ClusterSeen read(Coordination coordination, ClusterPaths paths, ShardClaims claims)
      throws IOException, CorruptStreamException {
    SortedMap<Integer, ShardSeen> shards = new TreeMap<>();
    for (String name : coordination.children(paths.shards())) {
      if (!name.matches("[0-9]{1,9}")) {
        throw new CorruptStreamException(paths.shards(), 0, "a shard called " + name);
      }
      StreamId id = new StreamId(Integer.parseInt(name));
      Optional<ShardClaims.Seen> owner = claims.owner(id);
      if (owner.isPresent() && !owner.get().owner().isClosed()) {
        shards.put(id.shard(), shard(coordination, paths, id, owner.get().owner()));
      }
    }
    return new ClusterSeen(
        new PresentServers(coordination, paths).read(),
        new HashSet<>(coordination.children(paths.drained())),
        shards);
  }

  private static ShardSeen shard(
      Coordination coordination, ClusterPaths paths, StreamId id, ShardOwner owner)
      throws IOException, CorruptStreamException {
    Optional<Versioned> target = coordination.read(paths.target(id));
    Optional<Versioned> wanted = coordination.read(paths.wanted(id));
    return new ShardSeen(
        owner,
        decoded(paths.target(id), target),
        target.map(Versioned::version).orElse(-1),
        decoded(paths.wanted(id), wanted));
  }

  private static Optional<ShardTarget> decoded(String path, Optional<Versioned> there)
      throws CorruptStreamException {
    return there.isEmpty() ? Optional.empty() : Optional.of(ShardTarget.decode(path, there.get()));
  }
}

package io.tallystick.cluster.server;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.placement.Followers;
import io.tallystick.master.placement.ShardTarget;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.presence.Presence;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.master.presence.ServerIdTakenException;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a server does twice a second: it shows itself, sees whether it may write shards, claims
/// what masters want here, and follows what it is to follow. A server that must not write any
/// claims none. One thread takes the turns.
final class ServerTurns {
  private static final Logger LOG = LoggerFactory.getLogger(ServerTurns.class);
  private static final int TURNS_BETWEEN_RECORDS = 4;

  private final ClusterConnection connection;
  private final String id;
  private final Presence presence;
  private final ShardKeeper keeper;
  private final ClaimGate gate;
  private final HeldPairs pairs;
  private int turns;

  /// As they were listed when they were last read for each shard.
  private List<KeyPairKids> listed = List.of();

  ServerTurns(
      ClusterConnection connection,
      String id,
      Presence presence,
      ShardKeeper keeper,
      ClaimGate gate,
      HeldPairs pairs) {
    this.connection = connection;
    this.id = id;
    this.presence = presence;
    this.keeper = keeper;
    this.gate = gate;
    this.pairs = pairs;
  }

  /// @throws ServerIdTakenException if another server of this id is there
  /// @throws IOException if the cluster cannot be read; what is written here goes on
  void take() throws IOException, CorruptStreamException, ServerIdTakenException {
    if (++turns % TURNS_BETWEEN_RECORDS == 0) {
      keeper.remember();
    }
    pairs.look();
    presence.turn();
    boolean isFit = gate.turn();
    Map<Integer, String> writers = writers();
    Set<Integer> wanted = new HashSet<>(writers.keySet());
    wanted.removeIf(shard -> !isFit || !id.equals(writers.get(shard)));
    keeper.turn(wanted, toFollow(writers));
  }

  /// The servers on which masters have placed shards.
  private Map<Integer, String> writers() throws IOException, CorruptStreamException {
    ClusterIdentity identity = connection.identity(); // more may be there since
    if (!identity.pairs().equals(listed)) {
      keeper.readPairs();
      listed = identity.pairs();
    }
    Map<Integer, String> writers = new TreeMap<>();
    for (int shard = 0; shard < identity.shards(); shard++) {
      Optional<ShardTarget> target =
          ShardTarget.read(connection.coordination(), connection.paths(), new StreamId(shard));
      if (target.isPresent()) {
        writers.put(shard, target.get().server());
      }
    }
    return writers;
  }

  private Set<Integer> toFollow(Map<Integer, String> writers) {
    try {
      Set<String> servers =
          new HashSet<>(
              new PresentServers(connection.coordination(), connection.paths()).read().keySet());
      connection.coordination().children(connection.paths().drained()).forEach(servers::remove);
      Set<Integer> toFollow = new HashSet<>();
      writers.forEach((shard, writer) -> {
        if (Followers.of(shard, writer, servers).filter(id::equals).isPresent()) {
          toFollow.add(shard);
        }
      });
      return toFollow;
    } catch (IOException | CorruptStreamException e) {
      LOG.warn("nobody knows which servers are there: {}", e.toString());
      return keeper.followed(); // what is wanted goes on
    }
  }
}

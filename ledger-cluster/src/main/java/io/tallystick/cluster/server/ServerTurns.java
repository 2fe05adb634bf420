package io.tallystick.cluster.server;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.master.placement.ShardTarget;
import io.tallystick.master.presence.Presence;
import io.tallystick.master.presence.ServerIdTakenException;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/// What a server does twice a second: it shows itself, sees whether it may write shards, and claims
/// or lets go what masters want here or elsewhere. A server that must not write any lets all go.
/// One thread takes the turns.
final class ServerTurns {
  private static final int TURNS_BETWEEN_RECORDS = 4;

  private final ClusterConnection connection;
  private final String id;
  private final Presence presence;
  private final ShardKeeper keeper;
  private final ClaimGate gate;
  private final HeldPairs pairs;
  private int turns;

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
    keeper.turn(gate.turn() ? wanted() : Set.of());
  }

  private Set<Integer> wanted() throws IOException, CorruptStreamException {
    int shards = connection.identity().shards(); // there may be more since
    Set<Integer> wanted = new HashSet<>();
    for (int shard = 0; shard < shards; shard++) {
      Optional<ShardTarget> target =
          ShardTarget.read(connection.coordination(), connection.paths(), new StreamId(shard));
      if (target.isPresent() && target.get().server().equals(id)) {
        wanted.add(shard);
      }
    }
    return wanted;
  }
}

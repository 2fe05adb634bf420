package io.tallystick.cluster;

import io.tallystick.proxy.TallystickService;
import io.tallystick.server.ship.LogSavepoints;
import io.tallystick.server.ship.SavepointManifest;
import io.tallystick.server.ship.SharedPointer;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.storage.replicated.ReplicatedLogs;
import io.tallystick.storage.replicated.SavepointPath;
import io.tallystick.storage.replicated.ShardClaims;
import java.util.random.RandomGenerator;

/// Where shards of a cluster keep what they do not keep in their streams.
public final class ShardPlaces {
  /// Of the states that this software keeps; a server with a lower one does not claim.
  public static final int STATE_FORMAT = 1;

  /// Bookies take no message above 5 MiB.
  private static final int ENTRY_BYTES = 1 << 20;

  private ShardPlaces() {}

  /// @param claims under which savepoints are published
  /// @param nonces a secure source
  public static ShippingPlaces shipping(
      ClusterConnection connection,
      ReplicatedLogs logs,
      ShardClaims claims,
      RandomGenerator nonces) {
    String cluster = connection.paths().cluster();
    return new ShippingPlaces(
        shard -> new LogSavepoints(logs, cluster, shard, ENTRY_BYTES),
        shard -> LogSavepoints.ofObjects(logs, cluster, shard, ENTRY_BYTES),
        shard ->
            new SharedPointer(
                new SavepointPath(
                    connection.coordination(), connection.paths(), claims, shard, nonces)),
        new SavepointManifest.Software(TallystickService.version(), STATE_FORMAT));
  }
}

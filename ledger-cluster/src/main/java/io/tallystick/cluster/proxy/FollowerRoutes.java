package io.tallystick.cluster.proxy;

import io.tallystick.cluster.ServerAddress;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.master.presence.ShardLoad;
import io.tallystick.node.FollowerDoor;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.wire.FollowerStub;
import io.tallystick.wire.NodeStub;
import io.tallystick.wire.WireRole;
import io.tallystick.wire.WireTls;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Connections to the servers that follow shards, as they show themselves. One thread looks, any
/// thread asks.
final class FollowerRoutes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FollowerRoutes.class);

  private final PresentServers servers;
  private final Optional<WireTls> tls;
  private final WireRole own;
  private final Map<String, FollowerStub> stubs = new ConcurrentHashMap<>();
  private volatile Map<Integer, FollowerDoor> doors = Map.of();

  /// Servers of which it was said that they cannot be asked. Of the thread that looks.
  private Set<String> told = Set.of();

  FollowerRoutes(PresentServers servers, Optional<WireTls> tls, WireRole own) {
    this.servers = servers;
    this.tls = tls;
    this.own = own;
  }

  /// Looks who follows what. What was known before stays if that cannot be read. A server with a
  /// bad address is left out.
  void look() throws IOException, CorruptStreamException {
    Map<Integer, FollowerDoor> found = new HashMap<>();
    Set<String> there = new HashSet<>();
    Set<String> bad = new HashSet<>();
    for (PresentServer server : servers.read().values()) {
      there.add(server.address());
      try {
        for (ShardLoad load : server.shards()) {
          if (!load.owned()) {
            found.put(load.shard(), stub(server).shard(load.shard()));
          }
        }
      } catch (IOException | RuntimeException e) {
        bad.add(server.id());
        if (!told.contains(server.id())) {
          LOG.warn("server {} is not asked as a follower: {}", server.id(), e.toString());
        }
      }
    }
    told = bad;
    doors = Map.copyOf(found);
    for (String address : Set.copyOf(stubs.keySet())) {
      if (!there.contains(address)) {
        FollowerStub gone = stubs.remove(address);
        if (gone != null) {
          gone.close();
        }
      }
    }
  }

  private FollowerStub stub(PresentServer server) throws IOException {
    FollowerStub known = stubs.get(server.address());
    if (known != null) {
      return known;
    }
    FollowerStub stub =
        FollowerStub.of(
            new NodeStub.Target(ServerAddress.parse(server.id(), server.address()), tls, own));
    stubs.put(server.address(), stub);
    return stub;
  }

  /// Who follows a shard; perhaps no longer.
  Optional<FollowerDoor> of(int shard) {
    return Optional.ofNullable(doors.get(shard));
  }

  @Override
  public void close() {
    stubs.values().forEach(FollowerStub::close);
  }
}

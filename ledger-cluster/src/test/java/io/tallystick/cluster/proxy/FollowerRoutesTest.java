package io.tallystick.cluster.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.master.identity.ClusterFounding;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.presence.Presence;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.master.presence.ShardLoad;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCoordination;
import io.tallystick.wire.WireRole;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: who follows which shard is found, whatever one of the servers shows. Method: servers that
/// show themselves on a twin of ZooKeeper; nobody is connected to.
class FollowerRoutesTest {
  private static final ClusterPaths PATHS = new ClusterPaths("one");

  private final RandomGenerator random = new SplittableRandom(1);
  private final TwinCoordination twin = new TwinCoordination(random);
  private final Coordination client = twin.client(Steps.NONE);

  @BeforeEach
  void found() throws Exception {
    KeyPairKids keys = new KeyPairKids(Digest.ZERO, Digest.ZERO);
    new ClusterFounding(client, PATHS, random)
        .init(new ClusterFounding.Terms(new Authority("localhost"), 4, new TreeMap<>(), keys));
  }

  private void show(String id, String address, int follows) throws Exception {
    new Presence(
            twin.client(Steps.NONE),
            PATHS,
            new Presence.Self(id, address, Duration.ofSeconds(1)),
            () -> new Presence.Now(0, 4, List.of(), List.of(new ShardLoad(follows, false, 0, 0))),
            System::nanoTime,
            random)
        .turn();
  }

  @Test
  void oneBadAddressStopsNoOtherRoute() throws Exception {
    show("a", "127.0.0.1:7001", 0);
    show("b", "nowhere", 1);
    show("c", "127.0.0.1:7003", 2);
    try (FollowerRoutes routes =
        new FollowerRoutes(new PresentServers(client, PATHS), Optional.empty(), WireRole.PROXY)) {
      for (int i = 0; i < 2; i++) {
        routes.look();
        assertThat(routes.of(0)).isPresent();
        assertThat(routes.of(1)).isEmpty();
        assertThat(routes.of(2)).isPresent();
      }
    }
  }
}

package io.tallystick.master.coordinated;

import io.tallystick.master.identity.ClusterFounding;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.presence.Presence;
import io.tallystick.master.presence.ShardLoad;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCoordination;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// A cluster in memory whose clock stands until a test moves it.
public final class FoundedTwin {
  public static final ClusterPaths PATHS = new ClusterPaths("one");
  public static final KeyPairKids FIRST_KEYS = keys(1);

  public final TwinCoordination twin;
  public final RandomGenerator random;
  public final int shards;
  public long nowMs = 1_800_000_000_000L;

  /// A cluster that is founded.
  public FoundedTwin(RandomGenerator random, int shards) throws Exception {
    this.twin = new TwinCoordination(random);
    this.random = random;
    this.shards = shards;
    new ClusterFounding(client(), PATHS, random).init(terms(shards));
  }

  public static ClusterFounding.Terms terms(int shards) {
    return new ClusterFounding.Terms(
        new Authority("ledger.example"),
        shards,
        new TreeMap<>(Map.of("frame", 2, "savepoint", 5)),
        FIRST_KEYS);
  }

  public static KeyPairKids keys(int number) {
    return new KeyPairKids(digest(number), digest(-number));
  }

  public static Digest digest(int number) {
    byte[] bytes = new byte[Digest.BYTES];
    bytes[0] = (byte) number;
    bytes[Digest.BYTES - 1] = (byte) (number >> Byte.SIZE);
    return Digest.of(bytes);
  }

  public Coordination client() {
    return twin.client(Steps.NONE);
  }

  public long nanos() {
    return nowMs * 1_000_000;
  }

  public void pass(Duration time) {
    nowMs += time.toMillis();
  }

  public Presence.Self self(String id) {
    return new Presence.Self(id, id + ":7", Duration.ofSeconds(1));
  }

  /// A server with a good clock and room for all.
  public Presence.Now now(List<ShardLoad> loads, KeyPairKids... pairs) {
    return new Presence.Now(0, shards, List.of(pairs), loads);
  }

  public Presence presence(
      Coordination client,
      Presence.Self self,
      Supplier<List<ShardLoad>> loads,
      KeyPairKids... pairs) {
    return presenceAs(client, self, () -> now(loads.get(), pairs));
  }

  public Presence presenceAs(Coordination client, Presence.Self self, Supplier<Presence.Now> now) {
    return new Presence(client, PATHS, self, now, this::nanos, random);
  }

  /// Shows a server that writes and follows nothing.
  public Presence show(Coordination client, String id, KeyPairKids... pairs) throws Exception {
    Presence presence = presence(client, self(id), List::of, pairs);
    presence.turn();
    return presence;
  }

  public ShardClaims claims(Coordination client, String server) {
    return new ShardClaims(client, PATHS, new ShardClaims.Server(server, server + ":7", 1), random);
  }

  public String owner(int shard) throws Exception {
    return claims(client(), "reader").owner(new StreamId(shard)).orElseThrow().owner().server();
  }

  public Bytes valueAt(String path) throws Exception {
    return client().read(path).orElseThrow().value();
  }
}

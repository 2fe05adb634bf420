package io.tallystick.cluster.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.health.ProcessHealth;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a server tells its operator of itself. It is ready when it is connected, may write shards,
/// and all that are wanted on it take appends.
final class ServerHealth {
  private static final double MILLIS = 1000;

  private final ClusterConnection connection;
  private final ClaimGate gate;
  private final ServerClock clock;
  private final ShardKeeper keeper;

  /// Whether a turn has been taken: before, nobody knows what is wanted here.
  private volatile boolean looked;

  ServerHealth(
      ClusterConnection connection, ClaimGate gate, ServerClock clock, ShardKeeper keeper) {
    this.connection = connection;
    this.gate = gate;
    this.clock = clock;
    this.keeper = keeper;
  }

  /// That the server knows what is wanted of it.
  void looked() {
    looked = true;
  }

  ProcessHealth now() {
    Map<Integer, ShardState> states = keeper.states();
    Map<String, Object> shown = new LinkedHashMap<>();
    states.forEach((shard, state) -> shown.put(Integer.toString(shard), state.shown()));
    boolean ready = looked && states.values().stream().allMatch(ShardState::isReady);
    return new ProcessHealth(
        List.of(
            ProcessHealth.Part.of("zooKeeper", connection.isConnected()),
            new ProcessHealth.Part("claims", gate.isFit(), claims()),
            new ProcessHealth.Part("shards", ready, shown)));
  }

  private Map<String, Object> claims() {
    Map<String, Object> claims = new LinkedHashMap<>();
    claims.put("clockAheadMs", clock.aheadMs());
    if (!gate.whyNot().isEmpty()) {
      claims.put("why", gate.whyNot());
    }
    return claims;
  }

  void register(MeterRegistry registry) {
    connection.register(registry);
    Gauge.builder("ledger.server.claims", gate, its -> its.isFit() ? 1 : 0)
        .description("whether the server may write shards")
        .register(registry);
    Gauge.builder("ledger.server.clock.ahead.seconds", clock, its -> its.aheadMs() / MILLIS)
        .description("of ZooKeeper's clock")
        .register(registry);
    Gauge.builder("ledger.server.served.shards", keeper, its -> its.served().size())
        .description("shards that the server writes")
        .register(registry);
    Gauge.builder("ledger.server.followed.shards", keeper, its -> its.followed().size())
        .description("shards that the server follows")
        .register(registry);
    Gauge.builder("ledger.server.waited.shards", keeper, ServerHealth::waited)
        .description("shards that the server is to write and does not")
        .register(registry);
  }

  private static double waited(ShardKeeper keeper) {
    return keeper.states().values().stream().filter(ShardState.Waited.class::isInstance).count();
  }
}

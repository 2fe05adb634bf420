package io.tallystick.cluster.master;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.health.ProcessHealth;
import io.tallystick.cluster.proxy.ClusterNode;
import io.tallystick.cluster.proxy.ClusterRoutes;
import io.tallystick.crypto.Signatures;
import io.tallystick.master.placement.MasterTurns;
import io.tallystick.master.placement.Suspicion;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.proxy.OutsideDuties;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.wire.WireRole;
import io.tallystick.wire.WireTls;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A master: while it leads, it places shards on servers, and does what is done once for all
/// ledgers with those outside. What it decides is advice, so that two who lead at a time do no
/// harm.
public final class ClusterMaster implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMaster.class);
  private static final long TURN_MILLIS = 500;
  private static final long OWNER_MILLIS = 10_000;

  private final Settings settings;
  private final Signatures signatures;
  private final Supplier<MeterRegistry> meters;
  private final ClusterConnection connection;
  private final LeaderLatch latch;
  private final MasterTurns master;
  private final PresentServers servers;
  private final ServerStreams streams;
  private final Suspicion suspicion;
  private final LeaderDuties duties;
  private final ScheduledExecutorService turns =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("master-turns").daemon().factory());

  /// How a master runs.
  ///
  /// @param id its name, for the log
  /// @param tls empty: in the clear, to servers on loopback alone
  /// @param apart at least so long lies between two targets of one shard
  /// @param outside whom it asks about heads
  /// @param folder where it keeps evidence against others
  public record Settings(
      String zooKeeper,
      String cluster,
      String id,
      Optional<WireTls> tls,
      Duration apart,
      OutsideDuties.Settings outside,
      Path folder) {}

  private ClusterMaster(
      Settings settings,
      Signatures signatures,
      Supplier<MeterRegistry> meters,
      ClusterConnection connection) {
    this.settings = settings;
    this.signatures = signatures;
    this.meters = meters;
    this.connection = connection;
    this.latch =
        new LeaderLatch(connection.curator(), connection.paths().root() + "/leader", settings.id());
    this.suspicion = new Suspicion(settings.apart(), System::nanoTime, System::currentTimeMillis);
    this.master =
        new MasterTurns(
            connection.coordination(),
            connection.paths(),
            suspicion,
            MasterTurns.Settings.DEFAULT,
            latch::hasLeadership,
            System::currentTimeMillis,
            new SecureRandom());
    this.servers = new PresentServers(connection.coordination(), connection.paths());
    this.streams =
        new ServerStreams(
            ServerStreams.overWire(settings.tls()), suspicion, this::turnSoon, System::nanoTime);
    this.duties = new LeaderDuties(this::beginDuties);
  }

  /// Starts it.
  ///
  /// @param meters makes those of what it does while it leads, closed when it leads no more
  /// @throws IOException also if there is no such cluster
  public static ClusterMaster start(
      Settings settings, Signatures signatures, Supplier<MeterRegistry> meters)
      throws IOException, CorruptStreamException {
    ClusterConnection connection = ClusterConnection.open(settings.zooKeeper(), settings.cluster());
    ClusterMaster started = new ClusterMaster(settings, signatures, meters, connection);
    try {
      connection.identity();
      started.latch.start();
    } catch (Exception e) { // Curator declares no narrower one
      connection.close();
      if (e instanceof CorruptStreamException corrupt) {
        throw corrupt;
      }
      throw e instanceof IOException failure ? failure : new IOException(e);
    }
    var _ =
        started.turns.scheduleWithFixedDelay(started::turn, 0, TURN_MILLIS, TimeUnit.MILLISECONDS);
    return started;
  }

  private void turnSoon() {
    try {
      turns.execute(this::turn);
    } catch (RejectedExecutionException _) {
      // Closed.
    }
  }

  private void turn() {
    boolean leads = latch.hasLeadership();
    if (!leads) {
      suspicion.forgetStreams();
    }
    duties.turn(leads); // one without settings tells members who want a time that none is asked
    try {
      streams.turn(leads ? servers.read().values() : List.of());
      for (MasterTurns.Move move : master.turn()) {
        LOG.info(
            "shard {} is placed on {}{}",
            move.shard(),
            move.to(),
            move.from().isEmpty() ? "" : ", before on " + move.from());
      }
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      LOG.warn("a turn failed and is taken again: {}", e.toString());
    }
  }

  /// Heads are read from owners, who answer under their leases.
  private AutoCloseable beginDuties() throws Exception {
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try {
      ClusterConnection own = ClusterConnection.open(settings.zooKeeper(), settings.cluster());
      opened.push(own);
      ClusterRoutes routes = ClusterRoutes.open(own, settings.tls(), WireRole.MASTER);
      ClusterNode node = new ClusterNode(routes, routes, routes);
      opened.pop(); // closed with the routes, which are closed with the node
      opened.push(node);
      MeterRegistry its = meters.get();
      opened.push(its::close);
      routes.awaitOwner(OWNER_MILLIS);
      OutsideDuties duties =
          OutsideDuties.begin(settings.outside(), node, settings.folder(), signatures, its);
      opened.push(duties);
      return () -> LeaderDuties.closeAll(opened);
    } catch (Exception | Error e) {
      LeaderDuties.closeAll(opened);
      throw e;
    }
  }

  /// Whether this master leads, as far as it knows.
  public boolean leads() {
    return latch.hasLeadership();
  }

  /// How it is, as probes are told. One that does not lead is as ready as the one that does.
  public ProcessHealth health() {
    Map<String, Object> placing = new TreeMap<>();
    placing.put("leads", leads());
    master.unserved().ifPresent(unserved -> placing.put("unservedShards", unserved));
    return new ProcessHealth(
        List.of(
            ProcessHealth.Part.of("zooKeeper", connection.isConnected()),
            new ProcessHealth.Part("placement", true, placing)));
  }

  /// Shows what it does.
  public void register(MeterRegistry registry) {
    connection.register(registry);
    Gauge.builder("ledger.master.leads", this, each -> each.leads() ? 1 : 0)
        .description("whether this master leads")
        .register(registry);
    Gauge.builder("ledger.cluster.unserved.shards", this, ClusterMaster::unserved)
        .description("shards that no server serves; NaN of a master that does not lead")
        .register(registry);
  }

  private double unserved() {
    OptionalInt unserved = master.unserved();
    return unserved.isEmpty() ? Double.NaN : unserved.getAsInt();
  }

  @Override
  public void close() throws IOException {
    turns.shutdownNow();
    try (connection;
        latch;
        streams;
        duties) {
      // Closed in the opposite order.
    }
  }
}

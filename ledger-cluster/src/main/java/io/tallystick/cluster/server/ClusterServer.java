package io.tallystick.cluster.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.book.BookKeeperLogs;
import io.tallystick.cluster.book.BookKeeperSettings;
import io.tallystick.cluster.zoo.ZooKeeperClock;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.presence.Presence;
import io.tallystick.master.presence.ServerIdTakenException;
import io.tallystick.master.presence.ShardLoad;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.node.FollowerDoor;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.HostedShard;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.ship.LogSavepoints;
import io.tallystick.server.ship.SavepointManifest;
import io.tallystick.server.ship.SharedPointer;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.storage.replicated.ReplicatedSettings;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.SavepointPath;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.wire.NodeListener;
import io.tallystick.wire.NodeService;
import io.tallystick.wire.ShardOwners;
import io.tallystick.wire.WireSettings;
import io.tallystick.wire.WireTls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A server of a cluster: it shows itself, claims the shards that masters want on it, and serves
/// them to proxies.
public final class ClusterServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterServer.class);
  private static final long TURN_MILLIS = 500;
  private static final Duration LOAD_EVERY = Duration.ofSeconds(5);
  private static final Duration TAKEN_MAX =
      Duration.ofMillis(3L * ClusterConnection.SESSION_MILLIS);

  /// Of the states that this software keeps; a server with a lower one does not claim.
  private static final int STATE_FORMAT = 1;

  /// Bookies take no message above 5 MiB.
  private static final int SAVEPOINT_ENTRY_BYTES = 1 << 20;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final ClusterConnection connection;
  private final AtomicReference<@Nullable String> ended = new AtomicReference<>();
  private final AtomicReference<ShardOwners> shards = new AtomicReference<>(_ -> Optional.empty());

  /// Since when another server of this id was seen, by {@link System#nanoTime}; null: it is not.
  private @Nullable Long takenNanos;

  private int port;

  private ClusterServer(ClusterConnection connection) {
    this.connection = connection;
    opened.push(connection);
  }

  /// How a server runs.
  ///
  /// @param id its name, unique in the cluster
  /// @param folder of its indexes
  /// @param keys folder of the service's keys
  /// @param address on which it listens and at which proxies find it; port 0: a free one
  /// @param tls empty: in the clear, on loopback alone
  /// @param share how many shards its memory lets it write
  /// @param authorities of members' certificates; empty: a grant may name none
  /// @param shipping how often savepoints are shipped
  public record Settings(
      String zooKeeper,
      String metadata,
      String cluster,
      String id,
      Path folder,
      Path keys,
      InetSocketAddress address,
      Optional<WireTls> tls,
      int share,
      Optional<CertificateAuthorities> authorities,
      ShardConfig.Shipping shipping) {}

  /// Starts it, with meters for each shard. It serves shards some time later, when masters want
  /// them here.
  ///
  /// @throws IOException also if there is no such cluster, or bookies cannot be reached
  public static ClusterServer start(
      Settings settings, Signatures signatures, IntFunction<MeterRegistry> meters)
      throws IOException, ServiceKeysException, CorruptStreamException {
    ClusterServer server =
        new ClusterServer(ClusterConnection.open(settings.zooKeeper(), settings.cluster()));
    try {
      server.open(settings, signatures, meters);
      return server;
    } catch (IOException
        | ServiceKeysException
        | CorruptStreamException
        | RuntimeException
        | Error e) {
      server.closeAll(e);
      throw e;
    }
  }

  private void open(Settings settings, Signatures signatures, IntFunction<MeterRegistry> meters)
      throws IOException, ServiceKeysException, CorruptStreamException {
    ClusterIdentity identity = connection.identity();
    HeldPairs pairs = new HeldPairs(settings.keys(), signatures, System::nanoTime);
    if (identity.pairs().stream().noneMatch(pairs.all()::contains)) {
      throw new ServiceKeysException(
          String.format(
              Locale.ROOT, "the keys in %s are not those of the cluster", settings.keys()));
    }
    SecureRandom nonces = new SecureRandom();
    String address = listen(settings, signatures);
    BookKeeperLogs logs = BookKeeperLogs.connect(BookKeeperSettings.of(settings.metadata()));
    opened.push(logs);
    ShardClaims claims =
        new ShardClaims(
            connection.coordination(),
            connection.paths(),
            new ShardClaims.Server(settings.id(), address, STATE_FORMAT),
            nonces);
    ServerClock clock =
        new ServerClock(InstantSource.system(), sharedClock(nonces)::timeMs, System::nanoTime);
    ClaimGate gate =
        new ClaimGate(
            connection.coordination(),
            connection.paths(),
            claims,
            new ClaimGate.Self(settings.id(), pairs::all, Map.of(), STATE_FORMAT, settings.share()),
            clock);
    ShardKeeper keeper =
        new ShardKeeper(
            settings.id(),
            settings.folder(),
            claims,
            new ClusterRegistry(connection.coordination(), connection.paths(), nonces),
            gate,
            settings.authorities(),
            new HostedShard.Common(
                settings.keys(),
                identity.authority(),
                () -> streams(logs, claims, nonces),
                shipping(logs, claims, nonces),
                ShardConfig.defaults().withShipping(settings.shipping()),
                BatchHasher.cpu(),
                signatures,
                meters,
                InstantSource.system()));
    Presence presence =
        presence(settings, address, () -> now(settings, clock, gate, pairs, keeper), nonces);
    opened.push(presence::leave); // when its shards are let go
    opened.push(keeper);
    shards.set(keeper);
    opened.push(turns(new ServerTurns(connection, settings.id(), presence, keeper, gate, pairs)));
  }

  /// @return at which proxies find it
  private String listen(Settings settings, Signatures signatures) throws IOException {
    NodeService service =
        new NodeService(
            shardsNow(), signatures, Set.of(Feature.values()), true, WireSettings.DEFAULT);
    opened.push(service);
    NodeListener listener = NodeListener.start(settings.address(), settings.tls(), service);
    opened.push(listener);
    port = listener.port();
    return String.format(Locale.ROOT, "%s:%d", settings.address().getHostString(), port);
  }

  private ShardOwners shardsNow() {
    return new ShardOwners() {
      @Override
      public Optional<Owned> shard(int number) {
        return shards.get().shard(number);
      }

      @Override
      public Optional<FollowerDoor> followed(int number) {
        return shards.get().followed(number);
      }
    };
  }

  /// One for each opening of a shard: a store that has lost a shard cannot follow its new owner.
  private ReplicatedStreamStore streams(
      BookKeeperLogs logs, ShardClaims claims, SecureRandom nonces) {
    return new ReplicatedStreamStore(
        logs,
        connection.coordination(),
        connection.paths(),
        claims,
        ReplicatedSettings.DEFAULT,
        nonces,
        () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
  }

  private ShippingPlaces shipping(BookKeeperLogs logs, ShardClaims claims, SecureRandom nonces) {
    return new ShippingPlaces(
        shard ->
            new LogSavepoints(logs, connection.paths().cluster(), shard, SAVEPOINT_ENTRY_BYTES),
        shard ->
            LogSavepoints.ofObjects(
                logs, connection.paths().cluster(), shard, SAVEPOINT_ENTRY_BYTES),
        shard ->
            new SharedPointer(
                new SavepointPath(
                    connection.coordination(), connection.paths(), claims, shard, nonces)),
        new SavepointManifest.Software(TallystickService.version(), STATE_FORMAT));
  }

  private static List<ShardLoad> loads(ShardKeeper keeper) {
    Map<Integer, ShardLoad> loads = new TreeMap<>();
    keeper.followed().forEach(shard -> loads.put(shard, new ShardLoad(shard, false, 0, 0)));
    keeper.preparing().forEach(shard -> loads.put(shard, new ShardLoad(shard, false, 0, 0)));
    keeper.served().forEach(shard -> loads.put(shard, new ShardLoad(shard, true, 0, 0)));
    return List.copyOf(loads.values());
  }

  private Presence presence(
      Settings settings, String address, Supplier<Presence.Now> now, RandomGenerator nonces) {
    return new Presence(
        connection.coordination(),
        connection.paths(),
        new Presence.Self(settings.id(), address, LOAD_EVERY),
        now,
        System::nanoTime,
        nonces);
  }

  private static Presence.Now now(
      Settings settings, ServerClock clock, ClaimGate gate, HeldPairs pairs, ShardKeeper keeper) {
    return new Presence.Now(
        clock.aheadMs(), gate.isFit() ? settings.share() : 0, pairs.all(), loads(keeper));
  }

  private ZooKeeperClock sharedClock(RandomGenerator nonces) {
    return new ZooKeeperClock(
        connection.curator(),
        connection.paths().beat(),
        () -> SharedValue.ofNonce(nonces.nextLong()));
  }

  private AutoCloseable turns(ServerTurns turn) {
    ScheduledExecutorService turns =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("server-turns").daemon().factory());
    var _ = turns.scheduleWithFixedDelay(() -> take(turn), 0, TURN_MILLIS, TimeUnit.MILLISECONDS);
    return () -> {
      turns.shutdownNow();
      var _ = turns.awaitTermination(TURN_MILLIS, TimeUnit.MILLISECONDS);
    };
  }

  private void take(ServerTurns turn) {
    try {
      turn.take();
      takenNanos = null;
    } catch (ServerIdTakenException e) {
      idIsTaken(e);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      LOG.warn("a turn failed and is taken again: {}", e.toString());
    }
  }

  /// The one of before, if it was killed, is there until its session ends.
  private void idIsTaken(ServerIdTakenException e) {
    long now = System.nanoTime();
    if (takenNanos == null) {
      takenNanos = now;
    } else if (now - takenNanos > TAKEN_MAX.toNanos()) {
      ended.compareAndSet(null, e.getMessage());
    }
  }

  public int port() {
    return port;
  }

  /// Why it must end; empty while it need not.
  public Optional<String> ended() {
    return Optional.ofNullable(ended.get());
  }

  private void closeAll(Throwable cause) {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        cause.addSuppressed(e);
      }
    }
  }

  /// Lets its shards go and leaves.
  @Override
  public void close() throws IOException {
    IOException failure = new IOException("the server did not close cleanly");
    closeAll(failure);
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}

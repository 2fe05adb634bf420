package io.tallystick.cluster.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ClusterTLedger;
import io.tallystick.cluster.ShardPlaces;
import io.tallystick.cluster.book.BookKeeperLogs;
import io.tallystick.cluster.book.BookKeeperSettings;
import io.tallystick.cluster.health.ProcessHealth;
import io.tallystick.cluster.zoo.ZooKeeperClock;
import io.tallystick.crypto.Signatures;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.placement.ShardTarget;
import io.tallystick.master.presence.KeyPairKids;
import io.tallystick.master.presence.Presence;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.master.presence.ServerIdTakenException;
import io.tallystick.master.presence.ShardLoad;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.master.tledger.TLedgerWriter;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.LedgerNode;
import io.tallystick.proxy.access.TokensOfMembers;
import io.tallystick.proxy.anchor.KeptTLedger;
import io.tallystick.server.host.HostedShard;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.storage.replicated.ReplicatedSettings;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.wire.NodeListener;
import io.tallystick.wire.NodeService;
import io.tallystick.wire.ShardOwners;
import io.tallystick.wire.WireSettings;
import io.tallystick.wire.WireTls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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

  /// A server that leaves waits so long for others to claim its shards.
  private static final Duration TAKEN_OVER_MAX = Duration.ofSeconds(10);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final ClusterConnection connection;
  private final AtomicReference<@Nullable String> ended = new AtomicReference<>();
  private final AtomicReference<@Nullable ServerHealth> health = new AtomicReference<>();
  private final AtomicReference<ShardOwners> shards = new AtomicReference<>(_ -> Optional.empty());

  /// Since when another server of this id was seen, by {@link System#nanoTime}; null: it is not.
  private @Nullable Long takenNanos;

  private int port;
  private volatile @Nullable NodeService watched;
  private volatile boolean leaving;
  private final String id;

  private ClusterServer(ClusterConnection connection, String id) {
    this.connection = connection;
    this.id = id;
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
  /// @param submitters the list of who may submit heads to the T-Ledger; empty: nobody
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
      Optional<Path> submitters,
      ShardConfig.Shipping shipping) {}

  /// Starts it, with meters for each shard. It serves shards some time later, when masters want
  /// them here.
  ///
  /// @throws IOException also if there is no such cluster, or bookies cannot be reached
  public static ClusterServer start(
      Settings settings, Signatures signatures, IntFunction<MeterRegistry> meters)
      throws IOException, ServiceKeysException, CorruptStreamException {
    ClusterServer server =
        new ClusterServer(
            ClusterConnection.open(settings.zooKeeper(), settings.cluster()), settings.id());
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
            new ShardClaims.Server(settings.id(), address, ShardPlaces.STATE_FORMAT),
            nonces);
    ServerClock clock =
        new ServerClock(InstantSource.system(), sharedClock(nonces)::timeMs, System::nanoTime);
    ClaimGate gate =
        new ClaimGate(
            connection.coordination(),
            connection.paths(),
            claims,
            new ClaimGate.Self(
                settings.id(), pairs::all, Map.of(), ShardPlaces.STATE_FORMAT, settings.share()),
            clock);
    ShardKeeper keeper =
        new ShardKeeper(
            settings.id(),
            settings.folder(),
            claims,
            new ClusterRegistry(connection.coordination(), connection.paths(), nonces),
            gate,
            others(logs),
            settings.authorities(),
            (node, id, its) -> openTLedger(settings, node, id, signatures, its),
            new HostedShard.Common(
                settings.keys(),
                this::listedPairs,
                identity.authority(),
                () -> streams(logs, claims, nonces),
                ShardPlaces.shipping(connection, logs, claims, nonces),
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
    health.set(new ServerHealth(connection, gate, clock, keeper));
    opened.push(turns(new ServerTurns(connection, settings.id(), presence, keeper, gate, pairs)));
  }

  private TLedgerWriter openTLedger(
      Settings settings, LedgerNode node, LedgerId id, Signatures signatures, MeterRegistry meters)
      throws IOException, RequestRejectedException {
    try {
      if (ClusterTLedger.read(connection).filter(kept -> kept.id().equals(id)).isEmpty()) {
        throw new RequestRejectedException(
            RejectionCode.UNKNOWN_LEDGER, "ledger " + id + " is not the cluster's T-Ledger");
      }
    } catch (CorruptStreamException e) {
      throw new IOException(e);
    }
    Path key = settings.keys().resolve(ClusterTLedger.KEY);
    if (!Files.exists(key)) {
      throw new IOException(key + " is missing");
    }
    return KeptTLedger.write(
        node, id, settings.folder(), key, settings.submitters().orElse(null), signatures, meters);
  }

  private ShardKeeper.Others others(BookKeeperLogs logs) {
    return new ShardKeeper.Others() {
      @Override
      public boolean wantHere(int shard) {
        return isWanted(shard);
      }

      @Override
      public boolean canWrite() {
        try {
          return logs.machines() >= Quorum.THIN.ensemble() && othersAreThere();
        } catch (IOException | CorruptStreamException e) {
          LOG.debug("whether others can write is not known: {}", e.toString());
          return false;
        }
      }
    };
  }

  /// As far as it can be told: a claim that nobody wants costs two takeovers, and is no danger.
  private boolean isWanted(int shard) {
    try {
      return ShardTarget.read(connection.coordination(), connection.paths(), new StreamId(shard))
          .filter(target -> target.server().equals(id))
          .isPresent();
    } catch (IOException | CorruptStreamException e) {
      LOG.debug("shard {}: whether it is wanted here: {}", shard, e.toString());
      return true;
    }
  }

  private List<Digest> listedPairs() throws IOException {
    try {
      ClusterIdentity now = connection.identity();
      List<Digest> kids = new ArrayList<>(now.pairs().stream().map(KeyPairKids::receipt).toList());
      kids.remove(now.present().receipt());
      kids.add(now.present().receipt());
      return kids;
    } catch (CorruptStreamException e) {
      throw new IOException(e);
    }
  }

  /// @return at which proxies find it
  private String listen(Settings settings, Signatures signatures) throws IOException {
    NodeService service =
        new NodeService(
            shardsNow(),
            signatures,
            Set.of(Feature.values()),
            true,
            new TokensOfMembers(signatures),
            WireSettings.DEFAULT);
    opened.push(service);
    watched = service;
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

  private Presence.Now now(
      Settings settings, ServerClock clock, ClaimGate gate, HeldPairs pairs, ShardKeeper keeper) {
    return new Presence.Now(
        clock.aheadMs(),
        gate.isFit() && !leaving ? settings.share() : 0,
        pairs.all(),
        loads(keeper));
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
      own().looked();
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

  private void awaitTakers() {
    long end = System.nanoTime() + TAKEN_OVER_MAX.toNanos();
    try {
      while (hasShards() && othersAreThere() && System.nanoTime() - end < 0) {
        Thread.sleep(TURN_MILLIS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      LOG.warn("who is to take the shards over is not known: {}", e.toString());
    }
  }

  private boolean hasShards() {
    return shards.get() instanceof ShardKeeper keeper && !keeper.served().isEmpty();
  }

  private boolean othersAreThere() throws IOException, CorruptStreamException {
    return new PresentServers(connection.coordination(), connection.paths())
        .read().values().stream().anyMatch(server -> server.share() > 0 && !server.id().equals(id));
  }

  public int port() {
    return port;
  }

  private ServerHealth own() {
    return Objects.requireNonNull(health.get(), "not opened");
  }

  /// How it is, as probes are told.
  public ProcessHealth health() {
    return own().now();
  }

  /// Shows what is not of one shard.
  public void register(MeterRegistry registry) {
    own().register(registry);
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

  /// Has its shards claimed by others, if there are any, lets the rest go, and leaves.
  @Override
  public void close() throws IOException {
    leaving = true;
    NodeService service = watched;
    if (service != null) {
      service.endWatches(); // as if it had ended: masters place its shards at once
    }
    awaitTakers();
    IOException failure = new IOException("the server did not close cleanly");
    closeAll(failure);
    if (failure.getSuppressed().length > 0) {
      throw failure;
    }
  }
}

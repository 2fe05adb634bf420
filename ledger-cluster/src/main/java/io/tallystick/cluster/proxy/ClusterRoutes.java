package io.tallystick.cluster.proxy;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.ClusterTLedger;
import io.tallystick.cluster.ServerAddress;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.presence.PresentServers;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NodeHealth;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardOwner;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.wire.NodeStub;
import io.tallystick.wire.WireRole;
import io.tallystick.wire.WireSettings;
import io.tallystick.wire.WireTls;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Connections to the owners of all shards, looked after in the background: every quarter of a
/// second, and at once when a server says that a shard is not its own. A ledger's shard never
/// changes, so it is looked up once. Thread-safe.
public final class ClusterRoutes implements Routes, ClusterNode.Standing, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterRoutes.class);
  private static final long LOOK_MILLIS = 250;
  private static final long FOLLOWERS_MILLIS = 1_000;
  private static final long CONNECT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);
  private static final int LEDGERS_KEPT_MAX = 1_000_000;
  private static final long T_LEDGER_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final ClusterConnection connection;
  private final Optional<WireTls> tls;
  private final WireRole own;
  private final ShardClaims owners;
  private final FollowerRoutes followers;
  private final ClusterRegistry registry;
  private final Map<Integer, Route> routes = new ConcurrentHashMap<>();
  private final Map<LedgerId, Integer> shardsOf = new ConcurrentHashMap<>();

  /// By shard, the owner to which a connection is being made.
  private final Map<Integer, ShardOwner> connecting = new ConcurrentHashMap<>();

  private final AtomicBoolean lookIsDue = new AtomicBoolean();

  private volatile Optional<LedgerId> tLedger = Optional.empty();
  private long tLedgerNanos = System.nanoTime() - T_LEDGER_NANOS;

  /// How many there are; others may be added.
  private volatile int shards;

  private final ExecutorService connects =
      Executors.newThreadPerTaskExecutor(
          Thread.ofPlatform().name("cluster-connect-", 0).daemon().factory());
  private final ScheduledExecutorService looks =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("cluster-routes").daemon().factory());

  /// A shard's owner as this proxy knows it.
  private record Route(ShardOwner owner, NodeStub stub) {}

  private ClusterRoutes(
      ClusterConnection connection, Optional<WireTls> tls, WireRole own, ClusterIdentity identity) {
    this.connection = connection;
    this.tls = tls;
    this.own = own;
    this.shards = identity.shards();
    this.followers =
        new FollowerRoutes(
            new PresentServers(connection.coordination(), connection.paths()), tls, own);
    SecureRandom nonces = new SecureRandom();
    this.owners =
        new ShardClaims(
            connection.coordination(),
            connection.paths(),
            new ShardClaims.Server("", "", 0),
            nonces);
    this.registry = new ClusterRegistry(connection.coordination(), connection.paths(), nonces);
  }

  /// Reads where the shards are, and connects to their owners as far as there are any.
  ///
  /// @param tls empty: in the clear, to servers on loopback alone
  /// @param own role of this process
  /// @throws IOException if there is no such cluster
  public static ClusterRoutes open(
      ClusterConnection connection, Optional<WireTls> tls, WireRole own)
      throws IOException, CorruptStreamException {
    ClusterRoutes routes = new ClusterRoutes(connection, tls, own, connection.identity());
    routes.look();
    var _ =
        routes.looks.scheduleWithFixedDelay(
            routes::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    return routes;
  }

  /// From now on {@link #follower} knows who follows shards.
  public ClusterRoutes withFollowers() {
    var _ =
        looks.scheduleWithFixedDelay(
            this::lookForFollowers, 0, FOLLOWERS_MILLIS, TimeUnit.MILLISECONDS);
    return this;
  }

  private void lookForFollowers() {
    try {
      followers.look();
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      LOG.debug("who follows shards cannot be read: {}", e.toString());
    }
  }

  @Override
  public Optional<FollowerDoor> follower(LedgerId ledger) throws RequestRejectedException {
    OptionalInt shard = shardOf(ledger);
    return shard.isEmpty() ? Optional.empty() : followers.of(shard.getAsInt());
  }

  private void look() {
    lookIsDue.set(false);
    try {
      shards = connection.identity().shards();
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      LOG.debug("how many shards there are cannot be read: {}", e.toString());
    }
    lookForTLedger();
    for (int shard = 0; shard < shards; shard++) {
      try {
        look(shard);
      } catch (IOException | CorruptStreamException | RuntimeException e) {
        LOG.debug("shard {}: {}", shard, e.toString());
      }
    }
  }

  private void look(int shard) throws IOException, CorruptStreamException {
    ShardOwner now = owners.owner(new StreamId(shard)).orElseThrow().owner();
    Route known = routes.get(shard);
    if (known != null && known.owner().address().equals(now.address())) {
      if (known.owner().epoch() != now.epoch()) {
        routes.replace(shard, known, new Route(now, known.stub()));
      }
      return;
    }
    if (now.address().isEmpty()) {
      return; // nobody has claimed it yet
    }
    ShardOwner tried = connecting.get(shard);
    if (tried == null || !tried.address().equals(now.address())) {
      connecting.put(shard, now); // beside the try before, which may hang
      connects.execute(() -> follow(shard, now));
    }
  }

  /// A server that stands still is waited for here, where it holds up no other shard.
  private void follow(int shard, ShardOwner now) {
    try {
      put(shard, new Route(now, connect(shard, now)));
    } catch (IOException | RuntimeException e) {
      LOG.debug("shard {}: {}", shard, e.toString());
      LockSupport.parkNanos(CONNECT_PAUSE_NANOS);
    } finally {
      connecting.remove(shard, now);
    }
  }

  private void put(int shard, Route route) {
    Route gone = swap(shard, route);
    if (gone != null) {
      gone.stub().close(); // waits for a server that stands still, perhaps the one of many shards
    }
  }

  /// A slow connection does not take the place of a newer owner's.
  ///
  /// @return the one that is used no more; null if there is none
  private synchronized @Nullable Route swap(int shard, Route route) {
    Route known = routes.get(shard);
    if (known != null && known.owner().epoch() > route.owner().epoch()) {
      return route;
    }
    routes.put(shard, route);
    LOG.info("shard {} is at {}, epoch {}", shard, route.owner().address(), route.owner().epoch());
    return known;
  }

  private NodeStub connect(int shard, ShardOwner owner) throws IOException {
    return NodeStub.connect(
        new NodeStub.Target(ServerAddress.parse(owner.server(), owner.address()), tls, own),
        WireSettings.DEFAULT,
        new NodeStub.Shard(shard, () -> epochOf(shard), _ -> lookSoon()));
  }

  /// 0 while none is known: whichever the server has.
  private long epochOf(int shard) {
    Route route = routes.get(shard);
    return route == null ? 0 : route.owner().epoch();
  }

  private void lookSoon() {
    if (!looks.isShutdown() && lookIsDue.compareAndSet(false, true)) {
      looks.execute(this::look);
    }
  }

  @Override
  public LedgerNode of(LedgerId ledger) throws RequestRejectedException {
    int shard =
        shardOf(ledger)
            .orElseThrow(() ->
                new RequestRejectedException(
                    RejectionCode.UNKNOWN_LEDGER, "no such ledger: " + ledger));
    return owner(shard);
  }

  private OptionalInt shardOf(LedgerId ledger) throws RequestRejectedException {
    Integer known = shardsOf.get(ledger);
    if (known != null) {
      return OptionalInt.of(known);
    }
    try {
      OptionalInt found = registry.find(ledger);
      if (found.isPresent() && shardsOf.size() < LEDGERS_KEPT_MAX) {
        shardsOf.put(ledger, found.getAsInt());
      }
      return found;
    } catch (IOException | CorruptStreamException e) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE,
          "where the ledger is cannot be found out: " + e.getMessage(),
          e);
    }
  }

  private LedgerNode owner(int shard) throws RequestRejectedException {
    Route route = routes.get(shard);
    if (route == null) {
      throw new RequestRejectedException(
          RejectionCode.UNAVAILABLE,
          String.format(Locale.ROOT, "shard %d has no owner that is known", shard));
    }
    return route.stub();
  }

  /// A ledger that is not registered goes to the shard that its id says, so that proxies which
  /// found it at a time ask one server.
  @Override
  public LedgerNode toFound(LedgerId ledger) throws RequestRejectedException {
    return owner(shardOf(ledger).orElseGet(() -> bucket(ledger.digest())));
  }

  private int bucket(Digest digest) {
    return (int) (Long.parseLong(digest.hex().substring(0, 8), 16) % shards);
  }

  @Override
  public List<LedgerNode> all() throws RequestRejectedException {
    List<LedgerNode> all = new ArrayList<>();
    for (int shard = 0; shard < shards; shard++) {
      all.add(owner(shard));
    }
    return all;
  }

  @Override
  public List<LedgerNode> reached() {
    return List.copyOf(routes.values().stream().map(Route::stub).toList());
  }

  /// The T-Ledger of the cluster, as it was a few seconds ago; empty while there is none.
  Optional<LedgerId> tLedger() {
    return tLedger;
  }

  private void lookForTLedger() {
    long now = System.nanoTime();
    if (now - tLedgerNanos < T_LEDGER_NANOS) {
      return;
    }
    tLedgerNanos = now;
    try {
      tLedger = ClusterTLedger.read(connection).map(ClusterTLedger::id);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      LOG.debug("the T-Ledger cannot be looked for: {}", e.toString());
    }
  }

  private @Nullable NodeStub any() {
    for (Route route : routes.values()) {
      if (route.stub().health().readable()) {
        return route.stub();
      }
    }
    return routes.values().stream().findFirst().map(Route::stub).orElse(null);
  }

  /// Waits for the first owner of a shard.
  ///
  /// @throws IOException if there is none after a minute
  public ClusterRoutes awaitOwner(long millis) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (any() == null) {
      if (System.nanoTime() - end > 0) {
        throw new IOException("no shard of the cluster has an owner; is a server running?");
      }
      Thread.sleep(LOOK_MILLIS);
    }
    return this;
  }

  private NodeStub one() {
    NodeStub stub = any();
    if (stub == null) {
      throw new IllegalStateException("no shard has an owner yet");
    }
    return stub;
  }

  @Override
  public ServiceIdentity identity() {
    return one().identity();
  }

  @Override
  public long timeMs() {
    return one().timeMs();
  }

  @Override
  public long clockMs() {
    return one().clockMs();
  }

  @Override
  public NodeHealth health() {
    boolean readable = true;
    boolean appendable = true;
    String detail = "";
    for (int shard = 0; shard < shards; shard++) {
      Route route = routes.get(shard);
      NodeHealth its =
          route == null
              ? new NodeHealth(false, false, "it has no owner that is known")
              : route.stub().health();
      readable &= its.readable();
      appendable &= its.appendable();
      if (!its.appendable() && detail.isEmpty()) {
        detail = String.format(Locale.ROOT, "shard %d: %s", shard, its.detail());
      }
    }
    return new NodeHealth(readable, appendable, detail);
  }

  @Override
  public void close() {
    looks.shutdownNow();
    connects.shutdownNow();
    routes.values().forEach(route -> route.stub().close());
    followers.close();
    connection.close();
  }
}

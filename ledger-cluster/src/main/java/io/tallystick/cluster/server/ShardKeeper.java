package io.tallystick.cluster.server;

import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.journal.Feature;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.master.duty.ShardDuties;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.node.FollowerDoor;
import io.tallystick.node.LedgerNode;
import io.tallystick.server.host.FollowedShard;
import io.tallystick.server.host.HostedShard;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.wire.ShardOwners;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Claims and serves the shards that are wanted on this server, lets those go that another server
/// has claimed, and follows some, so that it can soon serve them. A shard that is wanted elsewhere
/// is served until it is claimed there, as whoever is to claim it may fail to. One thread takes the
/// turns; each shard is opened and closed on a thread of its own. Source:
/// `docs/formats/replicated.md`.
public final class ShardKeeper implements ShardOwners, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShardKeeper.class);
  private static final long CLOSE_SECONDS = 60;
  private static final String RECORDS = "seen";
  private static final Duration BACKOFF_MIN = Duration.ofSeconds(1);
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(30);

  /// Longer than masters wait for a server that is to write a shard.
  private static final Duration LEFT_TO_OTHERS = Duration.ofMinutes(2);

  private final String server;
  private final Path folder;
  private final LeftFolders folders;
  private final ShardClaims claims;
  private final ClusterRegistry registry;
  private final HostedShard.Common common;
  private final SubmissionVerifier verifier;
  private final ClaimGate gate;
  private final Others others;
  private final Optional<CertificateAuthorities> authorities;
  private final OwnedTLedger.Opening tLedger;
  private final ExecutorService openings =
      Executors.newThreadPerTaskExecutor(Thread.ofPlatform().name("shard-", 0).factory());
  private final Map<Integer, Served> served = new ConcurrentHashMap<>();
  private final Map<Integer, Followed> followed = new ConcurrentHashMap<>();
  private final Set<Integer> busy = ConcurrentHashMap.newKeySet();
  private final Set<Integer> preparing = ConcurrentHashMap.newKeySet();
  private final Map<Integer, Failed> failed = new ConcurrentHashMap<>();

  /// As of the last turn.
  private volatile Set<Integer> wanted = Set.of();

  private final UnfitShards unfit;
  private final LongSupplier nanoTime;

  private volatile boolean closing;

  /// What is known beyond this server.
  public interface Others {
    /// Whether a master wants a shard here now.
    boolean wantHere(int shard);

    /// Whether another server is there, and machines enough that it can write.
    boolean canWrite();
  }

  /// An opening that failed.
  ///
  /// @param againNanos before which it is not tried again, by {@link #nanoTime}
  private record Failed(String why, Duration pause, long againNanos) {}

  private record Served(
      HostedShard shard,
      LedgerNode node,
      SharedOwnership ownership,
      ShardDuties duties,
      OwnedTLedger tLedger,
      OwnRecord record) {
    long epoch() {
      return ownership.claim().orElseThrow().epoch();
    }
  }

  private record Followed(FollowedShard shard, SharedOwnership ownership, OwnRecord record) {}

  /// @param server its name, unique in the cluster
  /// @param folder in which each shard has one of its own
  /// @param authorities of members' certificates; empty: a grant may name none
  /// @param tLedger opens the cluster's T-Ledger in a shard that is written here
  public ShardKeeper(
      String server,
      Path folder,
      ShardClaims claims,
      ClusterRegistry registry,
      ClaimGate gate,
      Others others,
      Optional<CertificateAuthorities> authorities,
      OwnedTLedger.Opening tLedger,
      HostedShard.Common common) {
    this(
        server,
        folder,
        claims,
        registry,
        gate,
        others,
        authorities,
        tLedger,
        common,
        System::nanoTime);
  }

  /// @param nanoTime as {@link System#nanoTime}
  ShardKeeper(
      String server,
      Path folder,
      ShardClaims claims,
      ClusterRegistry registry,
      ClaimGate gate,
      Others others,
      Optional<CertificateAuthorities> authorities,
      OwnedTLedger.Opening tLedger,
      HostedShard.Common common,
      LongSupplier nanoTime) {
    this.server = server;
    this.folder = folder;
    this.folders = new LeftFolders(folder);
    this.claims = claims;
    this.registry = registry;
    this.gate = gate;
    this.others = others;
    this.authorities = authorities;
    this.tLedger = tLedger;
    this.common = common;
    this.verifier = new SubmissionVerifier(common.signatures(), Set.of(Feature.values()));
    this.unfit = new UnfitShards(nanoTime, others::canWrite);
    this.nanoTime = nanoTime;
  }

  @Override
  public Optional<Owned> shard(int number) {
    Served its = served.get(number);
    return its == null ? Optional.empty() : Optional.of(new Owned(its.node(), its.epoch()));
  }

  @Override
  public Optional<FollowerDoor> followed(int number) {
    return Optional.ofNullable(followed.get(number)).map(its -> its.shard().reads());
  }

  /// Shards that are served now.
  public Set<Integer> served() {
    return Set.copyOf(served.keySet());
  }

  /// Shards that are followed now.
  public Set<Integer> followed() {
    return Set.copyOf(followed.keySet());
  }

  /// Shards that are being claimed and opened now.
  public Set<Integer> preparing() {
    return Set.copyOf(preparing);
  }

  /// How each shard is that is served, followed or wanted here now.
  Map<Integer, ShardState> states() {
    Map<Integer, ShardState> states = new TreeMap<>();
    for (int shard : wanted) {
      states.put(shard, new ShardState.Waited(why(shard)));
    }
    followed.forEach((shard, its) -> {
      if (!states.containsKey(shard)) {
        states.put(shard, new ShardState.Followed(its.shard().lagMs(), its.shard().nextFrame()));
      }
    });
    served.forEach(
        (shard, its) -> states.put(shard, new ShardState.Served(its.epoch(), its.node().health())));
    return states;
  }

  private String why(int shard) {
    Failed its = failed.get(shard);
    return its == null ? "it is being opened" : its.why();
  }

  /// Begins what has to change; does not wait for it.
  ///
  /// @param wanted shards that are wanted on this server
  /// @param toFollow shards that it is to follow
  public void turn(Set<Integer> wanted, Set<Integer> toFollow) {
    this.wanted = Set.copyOf(wanted);
    for (int shard : served.keySet()) {
      if (isLost(shard) || isUnfit(shard)) {
        begin(shard, () -> letGo(shard));
      }
    }
    for (int shard : wanted) {
      if (!served.containsKey(shard) && mayTry(shard)) {
        begin(shard, () -> prepare(shard));
      }
    }
    for (int shard : followed.keySet()) {
      if (!wanted.contains(shard) && !toFollow.contains(shard)) {
        begin(shard, () -> endFollowing(shard));
      }
    }
    for (int shard : toFollow) {
      boolean has = served.containsKey(shard) || followed.containsKey(shard);
      if (!has && !wanted.contains(shard) && mayTry(shard)) {
        begin(shard, () -> follow(shard));
      }
    }
    for (int shard : folders.withImages()) {
      boolean has = served.containsKey(shard) || followed.containsKey(shard);
      if (!has && !wanted.contains(shard) && !toFollow.contains(shard)) {
        begin(shard, () -> folders.forgetImages(shard));
      }
    }
  }

  private boolean mayTry(int shard) {
    Failed before = failed.get(shard);
    return before == null || nanoTime.getAsLong() - before.againNanos() >= 0;
  }

  private Failed after(@Nullable Failed before, String why) {
    Duration pause = before == null ? BACKOFF_MIN : before.pause().multipliedBy(2);
    Duration bounded = pause.compareTo(BACKOFF_MAX) > 0 ? BACKOFF_MAX : pause;
    return new Failed(why, bounded, nanoTime.getAsLong() + bounded.toNanos());
  }

  /// How many shards are written here, or about to be, beside one.
  private int besides(int shard) {
    Set<Integer> others = new HashSet<>(served.keySet());
    others.addAll(preparing);
    others.remove(shard);
    return others.size();
  }

  /// Writes down what was confirmed meanwhile.
  public void remember() {
    served.forEach((shard, its) -> {
      try {
        its.record().flush();
      } catch (IOException e) {
        LOG.warn("what was seen of shard {} cannot be written down: {}", shard, e.toString());
      }
    });
  }

  /// Reads, for each shard, the pairs of keys that the cluster lists.
  void readPairs() {
    served.values().forEach(its -> its.shard().readPairs());
    followed.values().forEach(its -> its.shard().readPairs());
  }

  /// Whether a shard has been unable to take appends here for so long that another server had
  /// better write it. It is not claimed here again before masters have had time to place it.
  private boolean isUnfit(int shard) {
    Optional<HostedShard.Unfit> now =
        Optional.ofNullable(served.get(shard)).flatMap(its -> its.shard().unfit());
    if (!unfit.isToGo(shard, now)) {
      return false;
    }
    long again = nanoTime.getAsLong() + LEFT_TO_OTHERS.toNanos();
    failed.put(shard, new Failed("it is left to others for a while", LEFT_TO_OTHERS, again));
    LOG.error("shard {} is left to other servers: {}", shard, now.orElseThrow().why());
    return true;
  }

  private boolean isLost(int shard) {
    try {
      StreamId stream = new StreamId(shard);
      return claims.owner(stream).map(seen -> !claims.isOwn(stream, seen)).orElse(true);
    } catch (IOException | CorruptStreamException e) {
      LOG.warn("the owner of shard {} cannot be read: {}", shard, e.toString());
      return false;
    }
  }

  private void begin(int shard, Runnable work) {
    if (closing || !busy.add(shard)) {
      return;
    }
    openings.execute(() -> {
      try {
        work.run();
      } finally {
        busy.remove(shard);
      }
    });
  }

  private void prepare(int shard) {
    preparing.add(shard);
    try {
      claim(shard);
    } finally {
      preparing.remove(shard);
    }
  }

  private void claim(int shard) {
    long beganNanos = System.nanoTime();
    Followed before = followed.remove(shard);
    try {
      Followed its = before == null ? open(shard) : before;
      if (!others.wantHere(shard)) { // a savepoint may have been fetched for minutes
        its.shard().close();
        LOG.info("shard {} is wanted elsewhere by now, and not claimed", shard);
        return;
      }
      Served now = serve(shard, its);
      served.put(shard, now);
      failed.remove(shard);
      LOG.info(
          "shard {} is served in epoch {}, {} ms after it was wanted{}",
          shard,
          now.epoch(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos),
          before == null ? "" : ", by its follower");
      if (closing) {
        letGo(shard); // nobody else may
      }
    } catch (NotClaimedException e) {
      String why = String.valueOf(e.getMessage());
      Failed now = failed.compute(shard, (_, earlier) -> after(earlier, why));
      LOG.error("{}; asked again in {} s", why, now.pause().toSeconds());
    } catch (Exception e) { // of any kind: it is tried again at a later turn
      failed(shard, "opened", e);
    }
  }

  /// Claims a shard. If that fails, nothing of it is open.
  private Served serve(int shard, Followed its) throws IOException, CorruptStreamException {
    HostedShard opened = its.shard().promote();
    try {
      authorities.ifPresent(opened::trust);
      ShardDuties duties = ShardDuties.of(opened.node(), verifier);
      OwnedTLedger owned =
          new OwnedTLedger(opened.node(), () -> common.meters().apply(shard), tLedger);
      return new Served(
          opened,
          new RegisteringNode(opened.node(), its.ownership(), registry, duties, owned),
          its.ownership(),
          duties,
          owned,
          its.record());
    } catch (RuntimeException | Error e) {
      try (opened) {
        throw e;
      }
    }
  }

  private Followed open(int shard)
      throws IOException, ServiceKeysException, CorruptStreamException {
    StreamId stream = new StreamId(shard);
    OwnRecord record = OwnRecord.open(folder.resolve(RECORDS), shard);
    SharedOwnership ownership =
        new RememberingOwnership(claims, stream, server, gate, record, () -> besides(shard));
    return new Followed(
        FollowedShard.open(folders.of(shard), stream, ownership, common), ownership, record);
  }

  private void failed(int shard, String what, Exception cause) {
    Failed now = failed.compute(shard, (_, before) -> after(before, cause.toString()));
    LOG.error(
        "shard {} could not be {} and is tried again in {} s: {}",
        shard,
        what,
        now.pause().toSeconds(),
        cause.toString(),
        cause);
  }

  private void follow(int shard) {
    try {
      Followed its = open(shard);
      LOG.info("shard {} is followed, from frame {} on", shard, its.shard().nextFrame());
      its.shard().start();
      followed.put(shard, its);
      failed.remove(shard);
      if (closing) {
        endFollowing(shard); // nobody else may
      }
    } catch (Exception e) { // of any kind: it is tried again at a later turn
      failed(shard, "followed", e);
    }
  }

  private void endFollowing(int shard) {
    Followed its = followed.remove(shard);
    if (its == null) {
      return;
    }
    try {
      its.shard().close();
      LOG.info("shard {} is followed no more", shard);
    } catch (IOException e) {
      LOG.warn("shard {} is followed no more, and did not close cleanly", shard, e);
    }
  }

  private void letGo(int shard) {
    Served its = served.remove(shard);
    if (its == null) {
      return;
    }
    unfit.forget(shard);
    its.duties().close();
    its.tLedger().close();
    try {
      its.shard().close();
      its.record().flush();
      LOG.info("shard {} is let go", shard);
    } catch (IOException e) {
      LOG.warn("shard {} is let go, and did not close cleanly: {}", shard, e.toString(), e);
    }
  }

  /// Lets all shards go, each with a savepoint.
  @Override
  public void close() {
    closing = true;
    openings.shutdown();
    try {
      if (!openings.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("shards are still being opened or closed after {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    try (ExecutorService closings =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().name("shard-close-", 0).factory())) {
      served.keySet().forEach(shard -> closings.execute(() -> letGo(shard)));
      followed.keySet().forEach(shard -> closings.execute(() -> endFollowing(shard)));
    }
  }
}

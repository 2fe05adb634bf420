package io.tallystick.cluster.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.cluster.ServiceKids;
import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.durable.PrivateFile;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.master.identity.ClusterFounding;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.server.host.HostedShard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.ship.LogSavepoints;
import io.tallystick.server.ship.SavepointManifest;
import io.tallystick.server.ship.SharedPointer;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.storage.replicated.SavepointPath;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a server lets a shard go that others can write better, leaves it to them for a while, and
/// claims none that nobody wants on it any more. Method: a keeper on twins of BookKeeper and
/// ZooKeeper, whose turns and clock are the test's.
class ShardKeeperTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final Authority AUTHORITY = new Authority("localhost");
  private static final int SHARD = 2;
  private static final int ENTRY_BYTES = 1 << 20;

  @TempDir Path home;
  private final TwinCluster cluster = new TwinCluster(20_261_128);
  private final TwinCluster.Server seams = cluster.server("a", Steps.NONE, TwinCluster.SMALL);
  private final Fixtures ledger = Fixtures.ledger();
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile boolean wanted = true;
  private volatile boolean othersCanWrite;
  private ShardKeeper keeper;

  private final class Others implements ShardKeeper.Others {
    @Override
    public boolean wantHere(int shard) {
      asked.incrementAndGet();
      return wanted;
    }

    @Override
    public boolean canWrite() {
      return othersCanWrite;
    }
  }

  @BeforeEach
  void open() throws Exception {
    Path keys = Files.createDirectories(home.resolve("keys"));
    write(keys.resolve("note.pem"), Fixtures.NOTE);
    write(keys.resolve("receipt.pem"), Fixtures.RECEIPT);
    var pairs = ServiceKids.of(keys, SIGNATURES);
    new ClusterFounding(seams.coordination(), cluster.paths(), new Random())
        .init(new ClusterFounding.Terms(AUTHORITY, 4, new TreeMap<>(), pairs.getFirst()));
    ClaimGate gate =
        new ClaimGate(
            seams.coordination(),
            cluster.paths(),
            seams.claims(),
            new ClaimGate.Self("a", () -> pairs, Map.of(), 1, 4),
            new ServerClock(InstantSource.system(), System::currentTimeMillis, System::nanoTime));
    assertThat(gate.turn()).isTrue();
    keeper =
        new ShardKeeper(
            "a",
            home.resolve("a"),
            seams.claims(),
            new ClusterRegistry(seams.coordination(), cluster.paths(), new Random()),
            gate,
            new Others(),
            Optional.empty(),
            (_, _, _) -> {
              throw new IOException("no T-Ledger");
            },
            common(keys),
            nanos::get);
  }

  private static void write(Path file, SeededSigner key) throws IOException {
    PrivateFile.replace(file, PrivateKeyPem.encode(key.exportPkcs8()));
  }

  private HostedShard.Common common(Path keys) {
    String name = cluster.paths().cluster();
    return new HostedShard.Common(
        keys,
        () -> List.of(Fixtures.RECEIPT.publicKey().kid()),
        AUTHORITY,
        seams::store,
        new ShippingPlaces(
            shard -> new LogSavepoints(seams.logs(), name, shard, ENTRY_BYTES),
            shard -> LogSavepoints.ofObjects(seams.logs(), name, shard, ENTRY_BYTES),
            shard ->
                new SharedPointer(
                    new SavepointPath(
                        seams.coordination(),
                        cluster.paths(),
                        seams.claims(),
                        shard,
                        new Random())),
            new SavepointManifest.Software("test", 1)),
        ShardConfig.defaults().withFreeBytesMin(0),
        BatchHasher.cpu(),
        SIGNATURES,
        _ -> new SimpleMeterRegistry(),
        () -> Instant.ofEpochMilli(Fixtures.TIME_MS));
  }

  @AfterEach
  void close() {
    keeper.close();
  }

  private void pass(int seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  private void turn() {
    keeper.turn(Set.of(SHARD), Set.of());
  }

  private void serve() throws Exception {
    Waiting.until(
        "it is served",
        () -> {
          turn();
          return keeper.served().contains(SHARD);
        });
  }

  private void found(LedgerNode node) throws RequestRejectedException {
    LedgerName called = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    var _ =
        node.createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(),
                ledger.genesisAttestation().encode(),
                called,
                SIGNATURES));
  }

  @Test
  void aShardWhoseStreamIsOutOfReachGoesIfAnotherServerIsBetterOff() throws Exception {
    serve();
    LedgerNode node = keeper.shard(SHARD).orElseThrow().node();
    cluster.logs().stop(0);
    cluster.logs().stop(1);
    assertThatThrownBy(() -> found(node)).isNotNull();
    Waiting.until("it takes no appends", () -> !node.health().appendable());
    turn();
    pass(300);
    turn();
    assertThat(keeper.served()).as("nobody is better off").contains(SHARD);
    othersCanWrite = true;
    turn();
    Waiting.until("it is let go", () -> keeper.served().isEmpty());
    cluster.logs().start(0);
    cluster.logs().start(1);
    pass(119);
    turn();
    assertThat(keeper.preparing()).as("it is left to others").isEmpty();
    assertThat(keeper.states().get(SHARD))
        .isEqualTo(new ShardState.Waited("it is left to others for a while"));
    pass(1);
    serve();
    found(keeper.shard(SHARD).orElseThrow().node());
  }

  private long epoch() throws Exception {
    return seams.claims().owner(new StreamId(SHARD)).orElseThrow().owner().epoch();
  }

  private void awaitAsked() throws Exception {
    int before = asked.get();
    Waiting.until(
        "it was asked",
        () -> {
          turn();
          return asked.get() > before;
        });
    Waiting.until("that has ended", () -> keeper.preparing().isEmpty());
  }

  @Test
  void aShardThatIsWantedElsewhereByNowIsNotClaimed() throws Exception {
    wanted = false;
    long before = epoch();
    awaitAsked();
    Waiting.until(
        "it is followed",
        () -> {
          keeper.turn(Set.of(), Set.of(SHARD));
          return keeper.followed().contains(SHARD);
        });
    awaitAsked();
    assertThat(epoch()).isEqualTo(before);
    assertThat(keeper.served()).isEmpty();
    assertThat(keeper.followed()).as("it is opened again when it is to be followed").isEmpty();
    wanted = true;
    serve();
    assertThat(epoch()).isGreaterThan(before);
  }
}

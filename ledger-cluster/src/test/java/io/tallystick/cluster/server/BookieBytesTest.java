package io.tallystick.cluster.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.cluster.book.BookKeeperLogs;
import io.tallystick.cluster.book.TestBookies;
import io.tallystick.cluster.zoo.ZooKeeperCoordination;
import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.durable.PrivateFile;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Kind;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.Role;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.host.FollowedShard;
import io.tallystick.server.host.HostedShard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.server.ship.LogSavepoints;
import io.tallystick.server.ship.SavepointManifest;
import io.tallystick.server.ship.SharedPointer;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.ReplicatedSettings;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.SavepointPath;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.fault.MarkedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what an occult or a purge removes is, once bookies have collected what was deleted, in no
/// file of a bookie, of the owner or of a follower; what stays is there. Method: three bookies with
/// small files and short times, an owner that ships each savepoint and a follower; all files are
/// searched for random bytes.
@Tag("long")
class BookieBytesTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final ShardConfig CONFIG =
      ShardConfig.defaults()
          .withFreeBytesMin(0)
          .withSavepointEvery(40, 60_000)
          .withShipping(new ShardConfig.Shipping(1, 0));
  private static final StreamId SHARD = new StreamId(0);
  private static final ClusterPaths PATHS = new ClusterPaths("bytes");
  private static final int ENTRY_BYTES = 1 << 20;
  private static final int JOURNALS = 150;
  private static final int KEPT = 6;
  private static final long SEARCH_PAUSE_MILLIS = 500;

  /// Only times and sizes: what makes deleted bytes leave is as in a cluster.
  private static final Map<String, String> SOON =
      Map.of(
          "gcWaitTime", "500",
          "flushInterval", "200",
          "entrylogMapAccessExpiryTimeInSeconds", "1",
          "journalMaxSizeMB", "1",
          "journalPreAllocSizeMB", "1");

  private static final Duration TURNOVER = Duration.ofMillis(500);

  @TempDir private Path home;
  private final SplittableRandom random = new SplittableRandom(20_261_128);
  private final MarkedFiles markers = new MarkedFiles();
  private final AtomicLong clock = new AtomicLong(Fixtures.TIME_MS);
  private Fixtures ledger = Fixtures.ledger().withSmallState();
  private TestBookies bookies;
  private BookKeeperLogs logs;
  private CuratorFramework curator;
  private Coordination coordination;

  private HostedShard.Common common(ShardClaims claims) {
    return new HostedShard.Common(
        home.resolve("keys"),
        () -> List.of(Fixtures.RECEIPT.publicKey().kid()),
        new Authority("localhost"),
        () ->
            new ReplicatedStreamStore(
                logs,
                coordination,
                PATHS,
                claims,
                ReplicatedSettings.DEFAULT,
                new Random(),
                System::currentTimeMillis),
        new ShippingPlaces(
            shard -> new LogSavepoints(logs, PATHS.cluster(), shard, ENTRY_BYTES),
            shard -> LogSavepoints.ofObjects(logs, PATHS.cluster(), shard, ENTRY_BYTES),
            shard ->
                new SharedPointer(
                    new SavepointPath(coordination, PATHS, claims, shard, new Random())),
            new SavepointManifest.Software("test", 1)),
        CONFIG,
        new CpuBatchHasher(),
        SIGNATURES,
        _ -> new SimpleMeterRegistry(),
        () -> Instant.ofEpochMilli(clock.get()));
  }

  private void giveKeys() throws IOException {
    Path keys = Files.createDirectories(home.resolve("keys"));
    PrivateFile.replace(
        keys.resolve("note.pem"), PrivateKeyPem.encode(Fixtures.NOTE.exportPkcs8()));
    PrivateFile.replace(
        keys.resolve("receipt.pem"), PrivateKeyPem.encode(Fixtures.RECEIPT.exportPkcs8()));
  }

  private FollowedShard open(String server) throws Exception {
    ShardClaims claims =
        new ShardClaims(
            coordination, PATHS, new ShardClaims.Server(server, server + ":1", 1), new Random());
    return FollowedShard.open(
        home.resolve(server), SHARD, new SharedOwnership(claims, SHARD, server), common(claims));
  }

  private RequestDraft draft(String name) {
    return RequestDraft.append(
        ledger.strand(),
        markers.random(name, random),
        "text/plain",
        ledger.timeMs(),
        markers.random("salt of " + name, random));
  }

  private long append(LedgerNode node, RequestDraft draft) throws Exception {
    return append(node, ledger.submission(draft.build(), Fixtures.ALICE));
  }

  private long append(LedgerNode node, Submission submission) throws Exception {
    return node.append(
            new SubmissionVerifier(SIGNATURES, Set.of(Feature.STATE_FOREST))
                .verify(
                    ledger.strand(),
                    submission.requests(),
                    submission.attestation(),
                    kid -> key(node, kid)))
        .receipted()
        .get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS)
        .committed()
        .firstJsn();
  }

  private Optional<PublicKey> key(LedgerNode node, Digest kid) {
    try {
      return node.member(ledger.strand().ledger(), kid).map(Member::key);
    } catch (RequestRejectedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void found(LedgerNode node) throws Exception {
    var _ =
        node.createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(),
                ledger.genesisAttestation().encode(),
                new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME),
                SIGNATURES));
  }

  private Submission occult(LedgerNode node, long jsn) throws Exception {
    JournalRef named =
        new JournalRef(
            new Jsn(jsn), TreeHasher.leafHash(node.journal(ledger.strand(), jsn, false).leaf()));
    return ledger.govern(
        Kind.OCCULT,
        new Extension.Occult(new ErasureTarget.Journals(List.of(named)), "a court"),
        Fixtures.ALICE,
        Fixtures.CAROL);
  }

  private Submission purge(LedgerNode node, long height) throws Exception {
    Snapshot snapshot =
        Snapshot.decode(node.purges().orElseThrow().prepare(ledger.strand(), height, List.of()));
    return ledger.govern(
        Kind.PURGE,
        new Extension.Purge(snapshot.firstKept(), height, snapshot.digest(), 0),
        Fixtures.ALICE);
  }

  /// The markers of a kind, each with a file that has it.
  private Map<String, String> found(String kind) throws IOException {
    Map<String, String> found = new TreeMap<>(markers.in(home));
    found.keySet().removeIf(name -> !name.endsWith(kind));
    return found;
  }

  private void awaitGone(String kind) throws Exception {
    AtomicReference<Map<String, String>> left = new AtomicReference<>(Map.of());
    try {
      Waiting.until(
          "all is gone that is " + kind,
          () -> {
            Thread.sleep(SEARCH_PAUSE_MILLIS);
            left.set(found(kind));
            return left.get().isEmpty();
          });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ": " + left, e);
    }
  }

  @BeforeEach
  void start() throws Exception {
    giveKeys();
    bookies = TestBookies.start(home, 3, SOON, TURNOVER);
    logs = bookies.connect();
    curator = bookies.zooKeeper().connect();
    coordination = new ZooKeeperCoordination(curator);
    ShardClaims.found(coordination, PATHS, List.of(SHARD), new Random());
  }

  @AfterEach
  void stop() throws Exception {
    curator.close();
    logs.close();
    bookies.close();
  }

  @Test
  void areGoneFromBookiesOwnerAndFollower() throws Exception {
    try (HostedShard owner = open("owner").promote();
        FollowedShard _ = open("follower").start()) {
      check(owner.node());
    }
  }

  private void check(LedgerNode node) throws Exception {
    found(node);
    append(node, ledger.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey()));
    for (int i = 0; i < JOURNALS; i++) {
      append(node, draft(i + " purged"));
    }
    long height = node.newestBlock(ledger.strand()).height();
    Bytes value = markers.random("value of 1 occulted", random);
    long secret =
        append(node, draft("1 occulted").withOps(List.of(DraftOp.put(Bytes.utf8("a key"), value))));
    for (int i = 1; i < KEPT; i++) {
      append(node, draft(i + " kept"));
    }
    assertThat(found("purged")).hasSize(2 * JOURNALS);
    assertThat(found("occulted")).hasSize(3);
    append(node, occult(node, secret));
    awaitGone("occulted");
    append(node, purge(node, height));
    ledger = new Fixtures(ledger.params(), clock.incrementAndGet());
    append(node, draft("0 kept"));
    awaitGone("purged");
    assertThat(found("kept")).hasSize(2 * KEPT);
  }
}

package io.tallystick.server.host;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.PrivateKeyPem;
import io.tallystick.durable.PrivateFile;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Authority;
import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.Member;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.server.ship.LogSavepoints;
import io.tallystick.server.ship.SavepointManifest;
import io.tallystick.server.ship.SharedPointer;
import io.tallystick.server.ship.ShippingPlaces;
import io.tallystick.storage.replicated.SavepointPath;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// A server of a cluster of twins: it has a folder of its own, on a real disk, and hosts one shard.
final class TwinServer {
  static final StreamId SHARD = new StreamId(0);
  private static final int ENTRY_BYTES = 1 << 20;

  final AtomicLong clock = new AtomicLong(Fixtures.TIME_MS);
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();

  /// How often the thread that erases has asked for the time: when it begins a turn, and before it
  /// waits.
  final AtomicInteger erasingLooks = new AtomicInteger();

  /// Kids of the receipt keys that the cluster lists.
  final List<Digest> listed = new CopyOnWriteArrayList<>();

  /// Whether they cannot be read now.
  volatile boolean unlisted;

  final TwinCluster.Server seams;
  private final String name;
  private final Path home;
  private final HostedShard.Common common;

  /// @param home of all servers
  TwinServer(TwinCluster cluster, String name, Path home, ShardConfig config) throws IOException {
    this.seams = cluster.server(name, Steps.NONE, TwinCluster.SMALL);
    this.name = name;
    this.home = home;
    Path keys = Files.createDirectories(home.resolve("keys"));
    write(keys.resolve("note.pem"), Fixtures.NOTE);
    write(keys.resolve("receipt.pem"), Fixtures.RECEIPT);
    listed.add(Fixtures.RECEIPT.publicKey().kid());
    ShippingPlaces shipping =
        new ShippingPlaces(
            shard -> new LogSavepoints(seams.logs(), cluster.paths().cluster(), shard, ENTRY_BYTES),
            shard ->
                LogSavepoints.ofObjects(
                    seams.logs(), cluster.paths().cluster(), shard, ENTRY_BYTES),
            shard ->
                new SharedPointer(
                    new SavepointPath(
                        seams.coordination(),
                        cluster.paths(),
                        seams.claims(),
                        shard,
                        new Random())),
            new SavepointManifest.Software("test", 1));
    this.common =
        new HostedShard.Common(
            keys,
            this::listed,
            new Authority("localhost"),
            seams::store,
            shipping,
            config,
            new CpuBatchHasher(),
            TestNode.SIGNATURES,
            _ -> meters,
            this::instant);
  }

  private List<Digest> listed() throws IOException {
    if (unlisted) {
      throw new IOException("nobody tells the key pairs");
    }
    return List.copyOf(listed);
  }

  private Instant instant() {
    if (Thread.currentThread().getName().endsWith("-erase")) {
      erasingLooks.incrementAndGet();
    }
    return Instant.ofEpochMilli(clock.get());
  }

  private static void write(Path file, SeededSigner key) throws IOException {
    if (!Files.exists(file)) {
      PrivateFile.replace(file, PrivateKeyPem.encode(key.exportPkcs8()));
    }
  }

  /// Puts a further pair into the folder of keys, which all servers of this home share.
  void hold(SeededSigner note, SeededSigner receipt) throws IOException {
    Path pair =
        Files.createDirectories(home.resolve("keys").resolve(receipt.publicKey().kid().hex()));
    write(pair.resolve("note.pem"), note);
    write(pair.resolve("receipt.pem"), receipt);
  }

  Path folder() {
    return home.resolve(name);
  }

  SharedOwnership ownership() {
    return new SharedOwnership(seams.claims(), SHARD, name);
  }

  HostedShard open() throws Exception {
    return HostedShard.open(folder(), SHARD, ownership(), common);
  }

  FollowedShard follow() throws Exception {
    return FollowedShard.open(folder(), SHARD, ownership(), common);
  }

  HostedShard.Common common() {
    return common;
  }

  double gauge(String of) {
    return meters.get(of).gauge().value();
  }

  static void found(LedgerNode node, Fixtures ledger) throws RequestRejectedException {
    LedgerName called = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    var _ =
        node.createLedger(
            FoundingVerifier.verify(
                ledger.params().encode(),
                ledger.genesisAttestation().encode(),
                called,
                TestNode.SIGNATURES));
  }

  /// @return the jsn
  static long append(LedgerNode node, Fixtures ledger, Submission submission)
      throws RequestRejectedException {
    SubmissionVerifier verifier =
        new SubmissionVerifier(TestNode.SIGNATURES, Set.of(Feature.CLUE_TRIE));
    AppendTicket ticket =
        node.append(
            verifier.verify(
                ledger.strand(),
                submission.requests(),
                submission.attestation(),
                kid -> {
                  try {
                    return node.member(ledger.strand().ledger(), kid).map(Member::key);
                  } catch (RequestRejectedException e) {
                    throw new IllegalStateException(e);
                  }
                }));
    return TestNode.await(ticket).committed().firstJsn();
  }
}

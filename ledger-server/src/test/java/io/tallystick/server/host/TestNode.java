package io.tallystick.server.host;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.KeyChain;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Feature;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.CreatedLedger;
import io.tallystick.node.LedgerName;
import io.tallystick.node.Member;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.server.keys.ServicePair;
import io.tallystick.server.keys.ServicePairs;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.Epochs;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.Ownership;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.object.ObjectStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/// A node on given seams with the fixtures' service keys, old and next, and a clock that tests
/// move.
final class TestNode implements AutoCloseable {
  static final Signatures SIGNATURES = SignatureProviders.best();
  static final StreamSettings SMALL_SEGMENTS = new StreamSettings(256 << 10, 16 << 10, 64 << 10);

  /// So small that a few blocks fill one.
  static final StreamSettings TINY_SEGMENTS = new StreamSettings(16 << 10, 16 << 10, 16 << 10);

  static final ShardConfig CONFIG =
      ShardConfig.defaults().withFreeBytesMin(0).withSavepointEvery(40, 60_000);

  final Fixtures fixtures = Fixtures.ledger();
  final AtomicLong clock;
  final LocalStreamStore streams;
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final ShardNode node;
  private final SubmissionVerifier verifier =
      new SubmissionVerifier(SIGNATURES, Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST));

  TestNode(Disk disk, MetaStore meta) throws IOException, CorruptStreamException {
    this(disk, meta, CONFIG);
  }

  TestNode(Disk disk, MetaStore meta, ShardConfig config)
      throws IOException, CorruptStreamException {
    this(disk, meta, config, new CpuBatchHasher(), Fixtures.RECEIPT);
  }

  /// Opened at another time than the fixtures'.
  TestNode(Disk disk, MetaStore meta, ShardConfig config, long nowMs)
      throws IOException, CorruptStreamException {
    this(disk, meta, config, new CpuBatchHasher(), Fixtures.RECEIPT, nowMs);
  }

  /// With a hasher or a receipt key of the test's own.
  TestNode(
      Disk disk, MetaStore meta, ShardConfig config, BatchHasher hasher, Signatures.Signer receipt)
      throws IOException, CorruptStreamException {
    this(disk, meta, config, hasher, receipt, Fixtures.TIME_MS);
  }

  private TestNode(
      Disk disk,
      MetaStore meta,
      ShardConfig config,
      BatchHasher hasher,
      Signatures.Signer receipt,
      long nowMs)
      throws IOException, CorruptStreamException {
    this(
        disk,
        meta,
        LocalStreamStore.openDeterministic(disk, "stream", SMALL_SEGMENTS, new java.util.Random(1)),
        config,
        hasher,
        receipt,
        nowMs);
  }

  private TestNode(
      Disk disk,
      MetaStore meta,
      LocalStreamStore streams,
      ShardConfig config,
      BatchHasher hasher,
      Signatures.Signer receipt,
      long nowMs)
      throws IOException, CorruptStreamException {
    this(
        disk,
        meta,
        streams,
        new LocalEpochs(meta, streams),
        config,
        hasher,
        receipt,
        nowMs,
        Ownership.LOCAL,
        Optional.empty());
  }

  /// On segments of a size of the test's own.
  TestNode(Disk disk, MetaStore meta, StreamSettings segments, ShardConfig config, long nowMs)
      throws IOException, CorruptStreamException {
    this(
        disk,
        meta,
        LocalStreamStore.openDeterministic(disk, "stream", segments, new java.util.Random(1)),
        config,
        new CpuBatchHasher(),
        Fixtures.RECEIPT,
        nowMs);
  }

  /// With streams, which it closes, and epochs of the test's own.
  TestNode(
      Disk disk,
      MetaStore meta,
      LocalStreamStore streams,
      Epochs epochs,
      ShardConfig config,
      BatchHasher hasher,
      Signatures.Signer receipt)
      throws IOException, CorruptStreamException {
    this(
        disk,
        meta,
        streams,
        epochs,
        config,
        hasher,
        receipt,
        Fixtures.TIME_MS,
        Ownership.LOCAL,
        Optional.empty());
  }

  /// In a cluster, as far as an ownership of the test's own says so.
  TestNode(Disk disk, MetaStore meta, ShardConfig config, Ownership ownership)
      throws IOException, CorruptStreamException {
    this(
        disk,
        meta,
        LocalStreamStore.openDeterministic(disk, "stream", SMALL_SEGMENTS, new java.util.Random(1)),
        config,
        ownership);
  }

  private TestNode(
      Disk disk, MetaStore meta, LocalStreamStore streams, ShardConfig config, Ownership ownership)
      throws IOException, CorruptStreamException {
    this(
        disk,
        meta,
        streams,
        new LocalEpochs(meta, streams),
        config,
        new CpuBatchHasher(),
        Fixtures.RECEIPT,
        Fixtures.TIME_MS,
        ownership,
        Optional.empty());
  }

  /// A server of a cluster.
  TestNode(
      Disk disk,
      MetaStore meta,
      LocalStreamStore streams,
      Epochs epochs,
      ShardConfig config,
      Ownership ownership,
      ObjectStore shared)
      throws IOException, CorruptStreamException {
    this(
        disk,
        meta,
        streams,
        epochs,
        config,
        new CpuBatchHasher(),
        Fixtures.RECEIPT,
        Fixtures.TIME_MS,
        ownership,
        Optional.of(shared));
  }

  private TestNode(
      Disk disk,
      MetaStore meta,
      LocalStreamStore streams,
      Epochs epochs,
      ShardConfig config,
      BatchHasher hasher,
      Signatures.Signer receipt,
      long nowMs,
      Ownership ownership,
      Optional<ObjectStore> sharedObjects)
      throws IOException, CorruptStreamException {
    this.clock = new AtomicLong(nowMs);
    this.streams = streams;
    ShardStorage storage =
        new ShardStorage(
            disk,
            meta,
            streams,
            new StreamId(0),
            epochs,
            () -> java.time.Instant.ofEpochMilli(clock.get()),
            ownership,
            sharedObjects);
    this.node = open(storage, config, hasher, signer(receipt));
  }

  static HeadSigner signer(Signatures.Signer receipt) {
    return new HeadSigner(
        new ServicePairs(
            new Authority("localhost"),
            List.of(
                new ServicePair(Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT),
                new ServicePair(Fixtures.NOTE, receipt))));
  }

  private ShardNode open(
      ShardStorage storage, ShardConfig config, BatchHasher hasher, HeadSigner signer)
      throws IOException, CorruptStreamException {
    try {
      return ShardNode.open(storage, config, hasher, signer, registry);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      streams.close();
      throw e;
    }
  }

  ServiceKeys keys() {
    return new ServiceKeys(
        new Authority("localhost"), Fixtures.NOTE.publicKey(), Fixtures.RECEIPT.publicKey());
  }

  /// What the key chain of a ledger proves.
  ServiceKeys provenKeys(Fixtures ledger) throws RequestRejectedException {
    try {
      return KeyChain.decode(node.keyChain(ledger.strand().ledger()).encode())
          .verify(ledger.params().encode(), ledger.strand(), SIGNATURES)
          .keys();
    } catch (MalformedException | ProofRejectedException e) {
      throw new AssertionError(e);
    }
  }

  /// From now on members show certificates of these.
  void trust(CertificateAuthorities authorities) {
    node.trust(authorities);
  }

  double gauge(String name) {
    return registry.get(name).gauge().value();
  }

  /// The gauge once it has fallen to `max`.
  double awaitGauge(String name, double max) throws InterruptedException {
    Waiting.until(name + " is at most " + max, () -> gauge(name) <= max);
    return gauge(name);
  }

  CreatedLedger found() throws RequestRejectedException {
    return found(fixtures);
  }

  CreatedLedger found(Fixtures ledger) throws RequestRejectedException {
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    return node.createLedger(
        FoundingVerifier.verify(
            ledger.params().encode(), ledger.genesisAttestation().encode(), name, SIGNATURES));
  }

  VerifiedSubmission verify(Submission submission) throws RequestRejectedException {
    return verify(fixtures, submission);
  }

  VerifiedSubmission verify(Fixtures ledger, Submission submission)
      throws RequestRejectedException {
    return verifier.verify(
        ledger.strand(),
        submission.requests(),
        submission.attestation(),
        kid -> {
          try {
            return node.member(ledger.strand().ledger(), kid).map(Member::key);
          } catch (RequestRejectedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  AppendTicket submit(Submission submission) throws RequestRejectedException {
    return node.append(verify(submission));
  }

  /// Appends and waits for the receipt.
  ///
  /// @throws RequestRejectedException as the sequencer refuses
  Receipted append(Submission submission) throws RequestRejectedException {
    return await(submit(submission));
  }

  Receipted append(Fixtures ledger, Submission submission) throws RequestRejectedException {
    return await(node.append(verify(ledger, submission)));
  }

  static Receipted await(AppendTicket ticket) throws RequestRejectedException {
    try {
      return ticket.receipted().get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestRejectedException refusal) {
        throw refusal;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Verifies a receipt over the leaves the node answers for its range.
  SignedHead verify(Receipted receipted) throws Exception {
    return verify(fixtures, receipted);
  }

  SignedHead verify(Fixtures ledger, Receipted receipted) throws Exception {
    List<Bytes> leaves = new ArrayList<>();
    long first = receipted.committed().firstJsn();
    for (int i = 0; i < receipted.committed().count(); i++) {
      leaves.add(node.journal(ledger.strand(), first + i, true).leaf());
    }
    return verify(ledger, receipted.rangeReceipt(), leaves);
  }

  SignedHead verify(Bytes rangeReceipt, List<Bytes> leaves) throws Exception {
    return verify(fixtures, rangeReceipt, leaves);
  }

  SignedHead verify(Fixtures ledger, Bytes rangeReceipt, List<Bytes> leaves) throws Exception {
    try {
      return RangeReceipt.decode(rangeReceipt)
          .verify(leaves, ledger.strand(), provenKeys(ledger), SIGNATURES);
    } catch (ProofRejectedException e) {
      throw new AssertionError(e);
    }
  }

  /// Bytes of submissions that are not answered yet.
  long admittedBytes() {
    return (long) registry.get("ledger.admitted.bytes").gauge().value();
  }

  /// How often the clues of a ledger were filled again since the start.
  long clueRebuilds() {
    return (long) registry.get("ledger.clue.rebuilds").functionCounter().count();
  }

  /// How often the state of a ledger was filled again since the start.
  long stateRebuilds() {
    return (long) registry.get("ledger.state.rebuilds").functionCounter().count();
  }

  @Override
  public void close() throws IOException {
    node.close();
    streams.close();
  }
}

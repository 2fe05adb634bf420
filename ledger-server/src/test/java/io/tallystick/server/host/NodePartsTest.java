package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.head.ServiceKeys;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.node.AppendTicket.Receipted;
import io.tallystick.node.LedgerName;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.ServiceIdentity;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a node runs on parts that somebody else made. Method: a disk, a meta store and streams in
/// memory and another shard's number; everything is asked of the node's face.
class NodePartsTest {
  private static final StreamId SHARD = new StreamId(7);

  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final HookedHasher hasher = new HookedHasher();

  @TempDir private Path directory;

  private NodeParts inMemory(Path folder, BatchHasher given) {
    LocalStreamStore streams =
        LocalStreamStore.openDeterministic(disk, "stream", TestNode.SMALL_SEGMENTS, new Random(1));
    return new NodeParts(streams, meta, disk, hasher, new LocalEpochs(meta, streams), SHARD);
  }

  private LocalNode open() throws Exception {
    InstantSource clock = () -> Instant.ofEpochMilli(Fixtures.TIME_MS);
    return LocalNode.open(
        directory,
        new Authority("localhost"),
        new NodeSeams(this::inMemory, clock, TestNode.CONFIG),
        TestNode.SIGNATURES,
        new SimpleMeterRegistry());
  }

  private static Fixtures found(LedgerNode node) throws Exception {
    ServiceIdentity service = node.identity();
    Fixtures ledger =
        Fixtures.ledger(Fixtures.TIME_MS, "localhost", service.noteKey(), service.receiptKey());
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    node.createLedger(
        FoundingVerifier.verify(
            ledger.params().encode(),
            ledger.genesisAttestation().encode(),
            name,
            TestNode.SIGNATURES));
    return ledger;
  }

  private static Receipted append(LedgerNode node, Fixtures ledger, int number) throws Exception {
    Submission submission = ledger.single(number);
    return node.append(
            new SubmissionVerifier(TestNode.SIGNATURES, Set.of())
                .verify(
                    ledger.strand(),
                    submission.requests(),
                    submission.attestation(),
                    ledger.keys()))
        .receipted()
        .get(60, TimeUnit.SECONDS);
  }

  private static void verify(LedgerNode node, Fixtures ledger, Receipted receipted)
      throws Exception {
    ServiceIdentity service = node.identity();
    Bytes leaf = node.journal(ledger.strand(), receipted.committed().firstJsn(), true).leaf();
    RangeReceipt.decode(receipted.rangeReceipt())
        .verify(
            List.of(leaf),
            ledger.strand(),
            new ServiceKeys(service.authority(), service.noteKey(), service.receiptKey()),
            TestNode.SIGNATURES);
  }

  @Test
  void runsInMemoryAndComesBackFromIt() throws Exception {
    AtomicInteger hashed = new AtomicInteger();
    hasher.onLeaves = hashed::incrementAndGet;
    Fixtures ledger;
    Receipted before;
    try (LocalNode node = open()) {
      ledger = found(node.node());
      before = append(node.node(), ledger, 1);
      verify(node.node(), ledger, before);
    }
    assertThat(hashed).as("the hasher that was handed in").hasPositiveValue();
    assertThat(disk.names()).anyMatch(name -> name.startsWith("stream/00000007/"));
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).extracting(file -> file.getFileName().toString()).containsExactly("keys");
    }
    try (LocalNode node = open()) {
      verify(node.node(), ledger, before);
      assertThat(append(node.node(), ledger, 1).committed().repeated()).isTrue();
      verify(node.node(), ledger, append(node.node(), ledger, 2));
    }
  }
}

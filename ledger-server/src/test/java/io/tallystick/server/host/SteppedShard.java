package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.PublicKey;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Feature;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.Appending;
import io.tallystick.node.LedgerName;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.removal.SnapshotMaker;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardRemovals.Left;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A shard without threads, whose turns a test takes; its stream may lie on a disk of its own.
final class SteppedShard implements AutoCloseable {
  private static final Map<Digest, PublicKey> KEYS =
      Stream.of(Fixtures.ALICE, Fixtures.BOB, Fixtures.CAROL)
          .map(SeededSigner::publicKey)
          .collect(Collectors.toMap(PublicKey::kid, Function.identity()));

  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final LocalStreamStore streams;
  final Shard shard;
  private final Disk disk;

  /// @param clock that the test moves
  SteppedShard(Disk disk, MetaStore meta, Disk streamDisk, ShardConfig config, AtomicLong clock)
      throws Exception {
    this.disk = disk;
    streams =
        LocalStreamStore.openDeterministic(
            streamDisk, "stream", TestNode.SMALL_SEGMENTS, new Random(1));
    shard =
        Shard.open(
            new ShardStorage(
                disk,
                meta,
                streams,
                new StreamId(0),
                new LocalEpochs(meta, streams),
                () -> Instant.ofEpochMilli(clock.get())),
            config,
            ArrayLimits.DEFAULT,
            new CpuBatchHasher(),
            TestNode.signer(Fixtures.RECEIPT),
            registry,
            Runnable::run,
            (_, task) -> task.run());
  }

  void found(Fixtures ledger) throws Exception {
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    var _ =
        shard.found(
            FoundingVerifier.verify(
                ledger.params().encode(),
                ledger.genesisAttestation().encode(),
                name,
                TestNode.SIGNATURES));
  }

  /// Commits what waits, and seals it.
  void commit() {
    assertThat(shard.commitTurn(0)).isTrue();
    assertThat(shard.indexTurn(0)).isTrue();
  }

  /// Queues a submission.
  AppendTicket append(Fixtures ledger, Submission submission) throws Exception {
    AppendTicket ticket = AppendTicket.open();
    SubmissionVerifier verifier =
        new SubmissionVerifier(TestNode.SIGNATURES, Set.of(Feature.STATE_FOREST));
    shard.append(
        List.of(
            new Appending(
                verifier.verify(
                    ledger.strand(),
                    submission.requests(),
                    submission.attestation(),
                    kid -> Optional.ofNullable(KEYS.get(kid))),
                ticket)),
        0);
    return ticket;
  }

  StrandIndex strand(Fixtures ledger) throws Exception {
    return shard.indexer().strand(ledger.strand());
  }

  /// Names journals.
  ErasureTarget journals(Fixtures ledger, long... jsns) throws Exception {
    List<JournalRef> named = new ArrayList<>();
    for (long jsn : jsns) {
      Bytes leaf = shard.log().journal(strand(ledger), jsn, false).leaf();
      named.add(new JournalRef(new Jsn(jsn), TreeHasher.leafHash(leaf)));
    }
    return new ErasureTarget.Journals(named);
  }

  /// Prepares a purge.
  Snapshot prepare(Fixtures ledger, long height) throws Exception {
    SnapshotMaker.Made made =
        new SnapshotMaker(
                shard.tables().snapshots(),
                shard.removals().states(),
                shard.removals().still(),
                disk,
                new CpuBatchHasher())
            .begin(strand(ledger), shard.log(), height, new TreeSet<>());
    commit();
    return made.finish().snapshot();
  }

  /// How far the erasures are that have begun.
  List<PendingErasureRow> noted() throws Exception {
    List<PendingErasureRow> rows = new ArrayList<>();
    for (Bytes each : shard.noteRows().withPrefix(PendingErasureRow.NOTED).values()) {
      rows.add(PendingErasureRow.decode(each));
    }
    return rows;
  }

  /// Takes a step of the erasing that ends with a note, and makes that durable.
  void noteAStep(String step) {
    assertThat(shard.erasureTurn()).as(step).isEqualTo(Left.NOTED);
    assertThat(shard.erasureTurn()).as("not durable yet").isEqualTo(Left.NOTED);
    commit();
  }

  /// Takes all steps of the erasing that can be taken.
  void eraseAll() {
    for (Left left = Left.MORE; left != Left.NOTHING; left = shard.erasureTurn()) {
      assertThat(left).isNotEqualTo(Left.FAILED);
      if (left == Left.NOTED) {
        commit();
      }
    }
  }

  double blocked() {
    return registry.get("ledger.removals.blocked").gauge().value();
  }

  /// As if the process died: no turn is taken any more.
  @Override
  public void close() throws IOException {
    shard.close();
    streams.close();
  }
}

package io.tallystick.server.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.SubmissionVerifier;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.node.Appending;
import io.tallystick.node.LedgerName;
import io.tallystick.node.founding.FoundingVerifier;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamSettings;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: what the sequencer cannot decide is read for again after pauses that grow, on neither the
/// thread that commits nor those that answer, and not for ever. Method: a ledger whose genesis is
/// not indexed has no state to read; take the shard's turns one by one.
class ReadingsTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();

  private final Fixtures ledger = Fixtures.ledger().withSmallState();
  private final List<Long> pauses = new ArrayList<>();
  private final Deque<Runnable> paused = new ArrayDeque<>();
  private final AppendTicket ticket = AppendTicket.open();
  private int answers;
  private long foundingBytes;
  private LocalStreamStore streams;
  private Shard shard;

  @BeforeEach
  void foundAndAppend() throws Exception {
    InMemoryDisk disk = new InMemoryDisk();
    streams =
        LocalStreamStore.openDeterministic(
            disk, "stream", new StreamSettings(256 << 10, 16 << 10, 64 << 10), new Random(1));
    InMemoryMetaStore meta = new InMemoryMetaStore();
    shard =
        Shard.open(
            new ShardStorage(
                disk,
                meta,
                streams,
                new StreamId(0),
                new LocalEpochs(meta, streams),
                () -> Instant.ofEpochMilli(Fixtures.TIME_MS)),
            ShardConfig.defaults().withFreeBytesMin(0),
            ArrayLimits.DEFAULT,
            new CpuBatchHasher(),
            new HeadSigner(new Authority("localhost"), Fixtures.NOTE, Fixtures.RECEIPT),
            new CompositeMeterRegistry(),
            answer -> {
              answers++;
              answer.run();
            },
            (millis, task) -> {
              pauses.add(millis);
              paused.add(task);
            });
    LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
    var _ =
        shard.found(
            FoundingVerifier.verify(
                ledger.params().encode(), ledger.genesisAttestation().encode(), name, SIGNATURES));
    commit();
    foundingBytes = shard.admittedBytes();
    append();
  }

  @AfterEach
  void close() throws Exception {
    shard.close();
    streams.close();
  }

  private void append() throws Exception {
    DraftOp op =
        new DraftOp.Put(Bytes.utf8("key"), Bytes.utf8("value"), new Precondition.IfAbsent());
    Submission submission = ledger.writing(1, op);
    SubmissionVerifier verifier =
        new SubmissionVerifier(SIGNATURES, Set.of(Feature.CLUE_TRIE, Feature.STATE_FOREST));
    shard.append(
        List.of(
            new Appending(
                verifier.verify(
                    ledger.strand(),
                    submission.requests(),
                    submission.attestation(),
                    ledger.keys()),
                ticket)),
        0);
  }

  private void commit() {
    assertThat(shard.commitTurn(0)).isTrue();
  }

  private void readAgain() {
    assertThat(shard.queued()).isZero();
    paused.remove().run();
    assertThat(shard.queued()).isEqualTo(1);
    assertThat(answers).isZero();
  }

  @Test
  void isReadAgainAfterPausesThatGrowAndDecidedOnceItsStateIsThere() throws Exception {
    commit();
    assertThat(pauses).containsExactly(5L);
    readAgain();
    commit();
    assertThat(pauses).containsExactly(5L, 20L);
    assertThat(shard.indexTurn(0)).isTrue();
    answers = 0;
    readAgain();
    commit();
    assertThat(ticket.committed().resultNow().firstJsn()).isEqualTo(2);
    assertThat(pauses).hasSize(2);
    assertThat(shard.putBack()).isEqualTo(2);
  }

  @Test
  void isRefusedInTheEnd() {
    commit();
    for (int i = 0; i < 3; i++) {
      readAgain();
      commit();
    }
    assertThat(pauses).containsExactly(5L, 20L, 80L);
    assertThat(paused).isEmpty();
    assertThat(ticket.receipted().exceptionNow())
        .isInstanceOfSatisfying(
            RequestRejectedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(RejectionCode.RATE_LIMITED));
    assertThat(shard.admittedBytes()).isEqualTo(foundingBytes);
  }
}

package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.PublicKey;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.journal.BodyState;
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
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardRemovals.Left;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: a turn of the erasing takes one step, one removal does not undo what another has planned,
/// and nothing goes that no savepoint has. Method: the turns of a shard by hand, with two ledgers
/// whose journals share a frame; rows of erasures that are there too early, as by a mistake of the
/// service.
class ErasureStepsTest {
  private static final int FIRST = 777;
  private static final int SECOND = 888;
  private static final int THIRD = 999;

  /// The jsn of the ledger's journal that is to go: behind genesis, its seal, the regulator and the
  /// seal of that.
  private static final long JSN = 4;

  private static final Map<Digest, PublicKey> KEYS =
      Stream.of(Fixtures.ALICE, Fixtures.BOB, Fixtures.CAROL)
          .map(SeededSigner::publicKey)
          .collect(Collectors.toMap(PublicKey::kid, Function.identity()));

  /// By id, as the rows of removals are.
  private final List<Fixtures> ledgers =
      Stream.of(Fixtures.ledger(), Fixtures.ledger().withSmallState())
          .sorted(Comparator.comparing(ledger -> ledger.params().ledgerId()))
          .toList();

  private final Fixtures low = ledgers.getFirst();
  private final Fixtures high = ledgers.getLast();
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final HookedMeta hooked = new HookedMeta();
  private SimpleMeterRegistry registry;
  private LocalStreamStore streams;
  private Shard shard;

  /// Does something before the next row of an erasure is written.
  private final class HookedMeta implements MetaStore {
    private @Nullable Hook beforeErasure;

    interface Hook {
      void before(MetaBatch batch) throws IOException;
    }

    @Override
    public @Nullable Bytes get(Bytes key) {
      return meta.get(key);
    }

    @Override
    public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) throws IOException {
      meta.scan(prefix, after, visitor);
    }

    @Override
    public void write(MetaBatch batch) throws IOException {
      Hook hook = beforeErasure;
      MetaBatch erasures = new MetaBatch();
      for (MetaBatch.Change change : batch.changes()) {
        if (change instanceof MetaBatch.Change.Put(Bytes key, Bytes row)
            && key.slice(0, 1).equals(PendingErasureRow.PREFIX)) {
          erasures.put(key, row);
        }
      }
      if (hook != null && !erasures.changes().isEmpty()) {
        beforeErasure = null;
        hook.before(erasures);
      }
      meta.write(batch);
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void begin() throws Exception {
    open();
    for (Fixtures ledger : ledgers) {
      LedgerName name = new LedgerName(Digest.of(Fixtures.nameSalt()), Fixtures.LEDGER_NAME);
      var _ =
          shard.found(
              FoundingVerifier.verify(
                  ledger.params().encode(),
                  ledger.genesisAttestation().encode(),
                  name,
                  TestNode.SIGNATURES));
    }
    commit();
    for (Fixtures ledger : ledgers) {
      append(ledger, OccultStory.regulator(ledger));
    }
    commit();
    append(low, low.single(FIRST));
    append(high, high.single(SECOND));
    commit(); // one frame
  }

  private void open() throws Exception {
    streams =
        LocalStreamStore.openDeterministic(disk, "stream", TestNode.SMALL_SEGMENTS, new Random(1));
    registry = new SimpleMeterRegistry();
    shard =
        Shard.open(
            new ShardStorage(
                disk,
                hooked,
                streams,
                new StreamId(0),
                new LocalEpochs(hooked, streams),
                () -> Instant.ofEpochMilli(Fixtures.TIME_MS)),
            TestNode.CONFIG,
            ArrayLimits.DEFAULT,
            new CpuBatchHasher(),
            TestNode.signer(Fixtures.RECEIPT),
            registry,
            Runnable::run,
            (_, task) -> task.run());
  }

  @AfterEach
  void close() throws Exception {
    shard.close();
    streams.close();
  }

  private void commit() {
    assertThat(shard.commitTurn(0)).isTrue();
    assertThat(shard.indexTurn(0)).isTrue();
  }

  private void append(Fixtures ledger, Submission submission) throws Exception {
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
    assertThat(ticket.receipted()).isNotCompletedExceptionally();
  }

  private StrandIndex strand(Fixtures ledger) throws Exception {
    return shard.indexer().strand(ledger.strand());
  }

  /// Occults a ledger's journal; the removal is then saved.
  private void occult(Fixtures ledger) throws Exception {
    Bytes leaf = shard.log().journal(strand(ledger), JSN, false).leaf();
    append(
        ledger,
        OccultStory.occult(
            ledger,
            new ErasureTarget.Journals(
                List.of(new JournalRef(new Jsn(JSN), TreeHasher.leafHash(leaf))))));
    commit();
    append(ledger, ledger.single(1)); // the newest frame is not erased
    commit();
  }

  private List<PendingErasureRow> rows() throws Exception {
    List<PendingErasureRow> rows = new ArrayList<>();
    List<Bytes> encoded = new ArrayList<>();
    meta.scan(PendingErasureRow.PREFIX, null, (_, row) -> encoded.add(row));
    for (Bytes each : encoded) {
      rows.add(PendingErasureRow.decode(each));
    }
    return rows;
  }

  private boolean isOnDisk(int number) throws Exception {
    return !OccultStory.found(disk, meta, number).isEmpty();
  }

  @Test
  void aTurnTakesOneStep() throws Exception {
    occult(low);
    assertThat(rows()).extracting(PendingErasureRow::hasBegun).containsExactly(false);

    assertThat(shard.erasureTurn()).as("plan").isEqualTo(Left.MORE);
    assertThat(rows()).allMatch(row -> row.planned().size() == 1 && row.isLast()).hasSize(1);
    assertThat(isOnDisk(FIRST)).isTrue();

    assertThat(shard.erasureTurn()).as("erase").isEqualTo(Left.MORE);
    assertThat(isOnDisk(FIRST)).isFalse();

    assertThat(shard.erasureTurn()).as("the rest").isEqualTo(Left.MORE);
    assertThat(rows()).hasSize(1);
    assertThat(OccultStory.done(meta)).isZero();

    assertThat(shard.erasureTurn()).as("done").isEqualTo(Left.MORE);
    assertThat(rows()).isEmpty();
    assertThat(OccultStory.done(meta)).isOne();
    assertThat(shard.erasureTurn()).isEqualTo(Left.NOTHING);
    assertThat(isOnDisk(SECOND)).isTrue();
  }

  /// Of the frame that both are in, one has planned the checksums that it has without the journal
  /// that the other erases.
  @Test
  void whatIsPlannedIsErasedBeforeAnotherIsPlannedAlsoAfterACrash() throws Exception {
    occult(high);
    assertThat(shard.erasureTurn()).as("plan").isEqualTo(Left.MORE);
    close();
    open();
    occult(low);
    assertThat(rows()).hasSize(2);
    while (shard.erasureTurn() == Left.MORE) {
      // takes the next step
    }
    assertThat(registry.get("ledger.removals.blocked").gauge().value()).isZero();
    assertThat(OccultStory.done(meta)).isEqualTo(2);
    for (Fixtures ledger : ledgers) {
      assertThat(shard.log().journal(strand(ledger), JSN, true).bodyState())
          .isEqualTo(BodyState.ERASED);
    }
    assertThat(isOnDisk(FIRST) || isOnDisk(SECOND)).isFalse();
  }

  @Test
  void nothingGoesBeforeASavepointHasTheRemoval() throws Exception {
    List<Left> early = new ArrayList<>();
    hooked.beforeErasure =
        erasures -> {
          meta.write(erasures);
          for (int i = 0; i < 3; i++) {
            early.add(shard.erasureTurn());
          }
          assertThat(OccultStory.found(disk, meta, FIRST)).isNotEmpty();
        };
    occult(low);
    assertThat(early).containsExactly(Left.NOTHING, Left.NOTHING, Left.NOTHING);
    while (shard.erasureTurn() == Left.MORE) {
      // takes the next step
    }
    assertThat(OccultStory.done(meta)).isOne();
    assertThat(isOnDisk(FIRST)).isFalse();
  }

  @Test
  void nothingGoesThatNoSavepointHas() throws Exception {
    occult(low);
    append(low, low.single(THIRD));
    commit();
    append(low, low.single(2)); // the newest frame
    commit();
    LogReader.ErasablePart part = shard.log().erasable(strand(low), strand(low).head().size() - 4);
    ErasedFrame planned;
    try (StreamEraser eraser = streams.openEraser(new StreamId(0))) {
      planned =
          eraser.plan(
              part.at().frame(),
              FrameEdits.zeros(List.of(new FrameEdits.Range(part.at().offset(), part.bytes()))));
    }
    List<Bytes> keys = new ArrayList<>();
    meta.scan(PendingErasureRow.PREFIX, null, (key, _) -> keys.add(key));
    PendingErasureRow row = new PendingErasureRow(PendingErasureRow.ALL, List.of(planned));
    meta.write(new MetaBatch().put(keys.getFirst(), row.encode()));
    assertThat(shard.erasureTurn()).isEqualTo(Left.FAILED);
    assertThat(isOnDisk(THIRD)).isTrue();
    assertThat(shard.savepoint()).isTrue();
    assertThat(shard.erasureTurn()).isEqualTo(Left.MORE);
    assertThat(isOnDisk(THIRD)).isFalse();
  }
}

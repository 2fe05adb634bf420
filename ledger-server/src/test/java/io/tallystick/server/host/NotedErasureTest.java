package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket;
import io.tallystick.removal.Snapshot;
import io.tallystick.server.saved.PendingErasureRow;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.server.shard.ShardRemovals.Left;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: how far an erasing is follows from the stream: whoever opens a shard from any savepoint
/// knows it, and a recall and the erasing never both come to pass. Method: turns by hand, crashes
/// between them, and other shards on copies of an older savepoint and the stream.
class NotedErasureTest {
  private static final ShardConfig CONFIG =
      TestNode.CONFIG.withSavepointEvery(1_000_000, 3_600_000);
  private static final long RECALL_MS = 1_000;
  private static final int GONE = 10_000;
  private static final int BATCHES = 6;
  private static final int BATCH = 50;
  private static final int KEPT = 20_000;

  private final Fixtures ledger = Fixtures.ledger();
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryDisk streamDisk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final AtomicLong clock = new AtomicLong(Fixtures.TIME_MS);
  private SteppedShard shard;

  @BeforeEach
  void fill() throws Exception {
    open(CONFIG);
    shard.found(ledger);
    shard.commit();
    for (int i = 0; i < BATCHES; i++) {
      append(ledger.batch(GONE + i * BATCH, BATCH));
    }
    append(ledger.single(KEPT));
  }

  private void open(ShardConfig config) throws Exception {
    shard = new SteppedShard(disk, meta, streamDisk, config, clock);
  }

  @AfterEach
  void close() throws Exception {
    shard.close();
  }

  private void append(Submission submission) throws Exception {
    assertThat(refusal(submission)).isNull();
  }

  /// Null if it was committed.
  private @Nullable RejectionCode refusal(Submission submission) throws Exception {
    AppendTicket ticket = shard.append(ledger, submission);
    shard.commit();
    return refusalOf(ticket);
  }

  private static @Nullable RejectionCode refusalOf(AppendTicket ticket) throws Exception {
    assertThat(ticket.receipted()).isDone();
    try {
      var _ = ticket.receipted().get();
      return null;
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(RequestRejectedException.class);
      return e.getCause() instanceof RequestRejectedException refusal ? refusal.code() : null;
    }
  }

  /// @return its jsn
  private long purge(Snapshot snapshot, long recallMs) throws Exception {
    long jsn = shard.strand(ledger).head().size();
    append(
        ledger.govern(
            Kind.PURGE,
            new Extension.Purge(
                snapshot.firstKept(), snapshot.height(), snapshot.digest(), recallMs),
            Fixtures.ALICE));
    append(ledger.single(KEPT + 1)); // the newest frame is not erased
    return jsn;
  }

  private long purge(long recallMs) throws Exception {
    return purge(shard.prepare(ledger, BATCHES), recallMs);
  }

  private Submission recall(long purge) {
    return ledger.govern(Kind.RECALL, new Extension.Recall(new Jsn(purge)), Fixtures.ALICE);
  }

  private static Map<Bytes, Bytes> rows(InMemoryMetaStore of, Bytes table) throws IOException {
    Map<Bytes, Bytes> rows = new TreeMap<>();
    of.scan(
        table,
        null,
        (key, row) -> {
          rows.put(key, row);
          return true;
        });
    return rows;
  }

  private boolean isOnDisk(int number) throws IOException {
    return !OccultStory.found(streamDisk, meta, number).isEmpty();
  }

  private void checkErased() throws Exception {
    shard.eraseAll();
    assertThat(OccultStory.done(shard.shard)).isOne();
    assertThat(shard.blocked()).isZero();
    assertThat(isOnDisk(GONE)).isFalse();
    assertThat(isOnDisk(GONE + BATCHES * BATCH - 1)).isFalse();
    assertThat(isOnDisk(KEPT)).isTrue();
    assertThat(shard.shard.savepoint()).isTrue();
    assertThat(rows(meta, PendingErasureRow.PREFIX)).isEmpty();
    assertThat(rows(meta, PendingErasureRow.NOTED)).isEmpty();
  }

  @Test
  void aRecallBehindTheNoteIsRefusedAlsoAfterACrash() throws Exception {
    long purge = purge(RECALL_MS);
    clock.addAndGet(RECALL_MS + 1);
    shard.noteAStep("begin");
    assertThat(rows(meta, PendingErasureRow.NOTED)).as("in no savepoint").isEmpty();
    clock.set(Fixtures.TIME_MS + 10); // it was wrong, and is set
    assertThat(refusal(recall(purge))).isEqualTo(RejectionCode.ERASURE_BEGUN);

    close();
    open(CONFIG);
    assertThat(shard.noted()).extracting(PendingErasureRow::hasBegun).containsExactly(true);
    assertThat(refusal(recall(purge))).isEqualTo(RejectionCode.ERASURE_BEGUN);
    checkErased();
    assertThat(refusal(recall(purge))).isEqualTo(RejectionCode.ERASURE_BEGUN);
    close();
    open(CONFIG);
    assertThat(refusal(recall(purge))).isEqualTo(RejectionCode.ERASURE_BEGUN);
  }

  /// The eraser's clock was ahead; both are in one frame.
  @Test
  void theCommitThreadsTimeDecidesWhetherItBegins() throws Exception {
    long purge = purge(RECALL_MS);
    clock.addAndGet(RECALL_MS + 1);
    assertThat(shard.shard.erasureTurn()).isEqualTo(Left.NOTED);
    clock.set(Fixtures.TIME_MS + 10);
    append(recall(purge));
    assertThat(shard.noted()).isEmpty();
    clock.addAndGet(RECALL_MS);
    assertThat(shard.shard.erasureTurn()).isEqualTo(Left.NOTHING);
    assertThat(isOnDisk(GONE)).isTrue();
  }

  /// It is committed, and not sealed yet: the eraser does not know it.
  @Test
  void aPurgeThatIsRecalledDoesNotBegin() throws Exception {
    long purge = purge(RECALL_MS);
    AppendTicket recall = shard.append(ledger, recall(purge));
    assertThat(shard.shard.commitTurn(0)).isTrue();
    clock.addAndGet(RECALL_MS + 1);
    assertThat(shard.shard.erasureTurn()).isEqualTo(Left.NOTED);
    shard.commit();
    assertThat(shard.shard.indexTurn(0)).isTrue();
    assertThat(refusalOf(recall)).isNull();
    assertThat(shard.noted()).isEmpty();
    assertThat(shard.shard.erasureTurn()).isEqualTo(Left.NOTHING);
    assertThat(isOnDisk(GONE)).isTrue();
  }

  /// Everything of the erasing is behind its savepoint; it comes to the same rows.
  @Test
  void aTakerWithAnOlderSavepointGoesOnFromEachStep() throws Exception {
    Snapshot snapshot = shard.prepare(ledger, BATCHES);
    assertThat(shard.shard.savepoint()).isTrue();
    InMemoryDisk olderDisk = disk.copy();
    InMemoryMetaStore olderMeta = meta.copy();
    var _ = purge(snapshot, 0);
    clock.incrementAndGet();
    List<Map<Bytes, Bytes>> ends = new ArrayList<>();
    Left left = Left.MORE;
    int steps = 0;
    while (left != Left.NOTHING) {
      ends.add(taken(olderDisk.copy(), olderMeta.copy()));
      left = shard.shard.erasureTurn();
      ends.add(taken(olderDisk.copy(), olderMeta.copy())); // what it notes is not durable
      if (left == Left.NOTED) {
        shard.commit();
      }
      steps++;
    }
    assertThat(steps).isGreaterThan(5);
    checkErased();
    assertThat(ends).allMatch(end -> end.equals(ends.getFirst()));
    assertThat(end(meta)).isEqualTo(ends.getFirst());
  }

  private Map<Bytes, Bytes> taken(InMemoryDisk onDisk, InMemoryMetaStore rows) throws Exception {
    InMemoryDisk stream = streamDisk.copy();
    try (SteppedShard taker = new SteppedShard(onDisk, rows, stream, CONFIG, clock)) {
      assertThat(taker.noted()).isEqualTo(shard.noted());
      assertThat(OccultStory.done(taker.shard)).isEqualTo(OccultStory.done(shard.shard));
      assertThat(taker.shard.erasureTurn()).as("no savepoint has it").isEqualTo(Left.NOTHING);
      assertThat(taker.shard.savepoint()).isTrue();
      taker.eraseAll();
      assertThat(taker.blocked()).isZero();
      assertThat(OccultStory.found(stream, rows, GONE)).isEmpty();
      assertThat(OccultStory.found(stream, rows, KEPT)).isNotEmpty();
      assertThat(taker.shard.savepoint()).isTrue();
    }
    return end(rows);
  }

  private static Map<Bytes, Bytes> end(InMemoryMetaStore of) throws IOException {
    Map<Bytes, Bytes> rows = new TreeMap<>(rows(of, PendingErasureRow.PREFIX));
    rows.putAll(rows(of, PendingErasureRow.NOTED));
    rows.putAll(rows(of, RemovalRows.DONE));
    rows.putAll(rows(of, RemovalRows.PURGES));
    return rows;
  }

  @Test
  void whatOlderSoftwareHasBegunGoesOn() throws Exception {
    long purge = purge(RECALL_MS);
    close();
    Bytes key = rows(meta, PendingErasureRow.PREFIX).keySet().iterator().next();
    meta.write(new MetaBatch().put(key, new PendingErasureRow(5, List.of()).encode()));
    open(CONFIG);
    assertThat(refusal(recall(purge))).isEqualTo(RejectionCode.ERASURE_BEGUN);
    checkErased();
  }

  @Test
  void whatOlderSoftwareHasErasedIsNotRecalled() throws Exception {
    long purge = purge(RECALL_MS);
    close();
    Bytes key = rows(meta, PendingErasureRow.PREFIX).keySet().iterator().next();
    meta.write(
        new MetaBatch()
            .delete(key)
            .put(
                RemovalRows.doneKey(ledger.strand().ledger(), purge),
                RemovalRows.encodeDone(clock.get())));
    open(CONFIG);
    assertThat(refusal(recall(purge))).isEqualTo(RejectionCode.ERASURE_BEGUN);
    assertThat(shard.shard.erasureTurn()).isEqualTo(Left.NOTHING);
  }

  @Test
  void aFullDiskIsFreed() throws Exception {
    var _ = purge(0);
    clock.incrementAndGet();
    close();
    open(CONFIG.withFreeBytesMin(Long.MAX_VALUE / 4));
    assertThat(refusal(ledger.single(KEPT + 2))).isEqualTo(RejectionCode.STORAGE_FULL);
    checkErased();
  }

  /// Nothing can be noted, so nothing goes.
  @Test
  void aShardThatTakesNoAppendsErasesNothing() throws Exception {
    var _ = purge(0);
    clock.incrementAndGet();
    shard.shard.closeIntake();
    for (int i = 0; i < 3; i++) {
      assertThat(shard.shard.erasureTurn()).as("asks").isEqualTo(Left.NOTED);
      assertThat(shard.shard.erasureTurn()).as("is refused").isEqualTo(Left.FAILED);
    }
    assertThat(isOnDisk(GONE)).isTrue();
    close();
    open(CONFIG);
    checkErased();
  }

  /// "Done" was in the stream alone when it crashed.
  @Test
  void theNameGoesWithTheSavepointThatHasTheEnd() throws Exception {
    byte[] name = Fixtures.LEDGER_NAME.getBytes(StandardCharsets.UTF_8);
    append(
        ledger.govern(
            Kind.CLOSE, Extension.Close.INSTANCE, Fixtures.owners().toArray(SeededSigner[]::new)));
    Snapshot snapshot = shard.prepare(ledger, shard.strand(ledger).head().height());
    append(
        ledger.govern(
            Kind.PURGE,
            new Extension.Purge(snapshot.firstKept(), snapshot.height(), snapshot.digest(), 0),
            Fixtures.ALICE));
    clock.incrementAndGet();
    while (OccultStory.done(shard.shard) == 0) {
      assertThat(shard.shard.indexTurn(0)).isTrue();
      if (shard.shard.erasureTurn() == Left.NOTED) {
        assertThat(shard.shard.commitTurn(0)).isTrue();
      }
    }
    assertThat(OccultStory.found(streamDisk, meta, name)).as("a row").hasSize(1);
    close();
    open(CONFIG);
    assertThat(OccultStory.done(shard.shard)).isOne();
    assertThat(shard.shard.savepoint()).isTrue();
    assertThat(OccultStory.found(streamDisk, meta, name)).isEmpty();
    assertThat(rows(meta, PendingErasureRow.PREFIX)).isEmpty();
  }
}

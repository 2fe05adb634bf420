package io.tallystick.server.shard;

import io.tallystick.server.frame.CommitFrame;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.server.removal.ErasureTable;
import io.tallystick.server.seal.SealedBlock;
import io.tallystick.server.sequencer.Step;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.framing.FrameHeader;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The work of the index thread: it seals what was committed, in order, lets the answers go, takes
/// savepoints. Source: `docs/architecture.md`, "Index"; `docs/formats/savepoint.md`.
final class IndexLoop {
  /// So much rarer are savepoints that cost much.
  private static final int COSTLY_TIMES = 4;

  private final ShardConfig config;
  private final Savepoints savepoints;
  private final OpenShard shard;
  private final IndexBacklog backlog;
  private final Answers answers;
  private final Consumer<FrameBuffer> recycle;
  private final ShardMetrics metrics;
  private final Runnable onRemovalSaved;
  private final SavedCopies copies;
  private StreamPosition indexedTo;
  private long timeMs;
  private long journalsSinceSavepoint;
  private long bytesSinceSavepoint;
  private long savepointAt;

  /// Whether a removal was sealed, or one has ended that leaves a name to the next savepoint.
  private boolean removalSealed;

  private @Nullable Step<AdmittedAppend> current;

  IndexLoop(
      ShardConfig config,
      ShardStorage storage,
      OpenShard shard,
      IndexBacklog backlog,
      Answers answers,
      Consumer<FrameBuffer> recycle,
      ShardMetrics metrics,
      Runnable onRemovalSaved,
      SavedCopies copies) {
    this.config = config;
    this.savepoints =
        new Savepoints(
            storage.meta(), shard.notes(), shard.indexer(), shard.tables().chains(), shard.gate());
    this.shard = shard;
    this.backlog = backlog;
    this.answers = answers;
    this.recycle = recycle;
    this.metrics = metrics;
    this.onRemovalSaved = onRemovalSaved;
    this.copies = copies;
    this.indexedTo = shard.writer().end(); // all of it is replayed
    this.timeMs = shard.sequencer().timeMs();
    this.savepointAt = System.nanoTime();
    this.removalSealed = shard.indexer().hasUnsavedRemoval(); // as replayed
  }

  /// One turn: waits for a task, indexes it, takes a savepoint if one is due.
  ///
  /// @return false after the last turn: the backlog is closed and drained, and a last savepoint
  ///   taken
  /// @throws CorruptStreamException if indexing found a contradiction: the shard stops
  boolean turn(long idleMillis) throws IOException, CorruptStreamException, InterruptedException {
    IndexTask task = backlog.poll(shard.indexer().upkeep() ? 0 : idleMillis);
    if (task != null) {
      index(task);
    } else if (backlog.isClosed()) {
      savepoint();
      return false;
    }
    if (savepointIsDue() || copies.isWanted()) {
      savepoint();
      copies.take(shard);
    }
    shard.indexer().rest(config.indexing().awakeStrandsMax());
    return true;
  }

  private void index(IndexTask task) throws IOException, CorruptStreamException {
    current = task.step();
    int frameBytes = task.frameBytes();
    FrameBuffer buffer = task.frame();
    List<SealedBlock> sealed = List.of();
    if (buffer != null) {
      CommitFrame frame = new CommitFrame(buffer.infos().array(), buffer.infos().arrayBase());
      FramePlace place = FramePlace.of(task.at(), FrameHeader.BYTES + buffer.infoBytes());
      sealed = shard.indexer().apply(frame, place, true);
      long journals =
          sealed.stream().mapToLong(block -> block.row().size() - block.row().firstJsn()).sum();
      journalsSinceSavepoint += journals;
      bytesSinceSavepoint += frameBytes;
      removalSealed |= sealed.stream().anyMatch(block -> block.strand().hasNewRemovals());
      indexedTo = task.after();
      copies.indexed(journals, indexedTo);
      timeMs = Math.max(timeMs, frame.timeMs());
      recycle.accept(buffer);
    }
    if (task.step() != null) {
      removalSealed |= ErasureTable.forgetsName(task.step().notes().notes(), shard.indexer());
      answers.sealed(task.step(), sealed);
    }
    current = null;
    backlog.done(frameBytes);
  }

  /// Fails the submissions of the frame being indexed and of those behind it, because indexing
  /// failed: what they sent is durable, but this process will not seal it.
  void failWaiting(Throwable cause) throws InterruptedException {
    ShardStoppedException stopped = new ShardStoppedException("indexing failed", cause);
    failAll(current, stopped);
    for (IndexTask task = backlog.poll(0); task != null; task = backlog.poll(0)) {
      failAll(task.step(), stopped);
    }
  }

  private static void failAll(@Nullable Step<AdmittedAppend> step, ShardStoppedException stopped) {
    if (step != null) {
      CommitLoop.inputsOf(step).forEach(input -> input.fail(stopped));
    }
  }

  private boolean savepointIsDue() {
    if (shard.indexer().hasUpkeep()) {
      return true;
    }
    if (!isDirty()) {
      return false;
    }
    long elapsedMillis = (System.nanoTime() - savepointAt) / 1_000_000;
    int times = shard.indexer().savepointIsCostly() ? COSTLY_TIMES : 1;
    return removalSealed
        || shard.indexer().savepointDue()
        || journalsSinceSavepoint >= times * config.savepoints().journals()
        || bytesSinceSavepoint >= times * config.savepoints().bytes()
        || shard.indexer().dirtyStrands() >= config.savepoints().strands()
        || elapsedMillis >= config.savepoints().millis();
  }

  private boolean isDirty() {
    return shard.indexer().isDirty() || shard.notes().isDirty(indexedTo.number());
  }

  void savepoint() throws IOException, CorruptStreamException {
    long started = System.nanoTime();
    savepointAt = started;
    if (!isDirty() && !shard.indexer().hasUpkeep()) {
      return;
    }
    savepoints.take(indexedTo, shard.epoch(), timeMs);
    journalsSinceSavepoint = 0;
    bytesSinceSavepoint = 0;
    if (removalSealed) {
      removalSealed = false;
      copies.removalSaved();
      onRemovalSaved.run();
    }
    metrics.savepoint(System.nanoTime() - started);
  }
}

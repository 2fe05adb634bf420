package io.tallystick.server.shard;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.tallystick.crypto.BatchHasher;
import io.tallystick.journal.VerifiedSubmission;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import io.tallystick.node.Founding;
import io.tallystick.server.clue.ClueReader;
import io.tallystick.server.clue.ClueRebuild;
import io.tallystick.server.clue.ClueStores;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A shard without threads: the loops, the recovery and the answers are those of {@link Shard}, but
/// who holds this decides when each takes its next turn. Only their wiring is repeated here.
public final class SteppedShard {
  private final ShardStorage storage;
  private final ShardConfig config;
  private final Recovery recovery;
  private final Evidence evidence;
  private final ShardMetrics metrics = new ShardMetrics(new CompositeMeterRegistry());
  private final Intake intake;
  private OpenShard open;
  private IndexBacklog backlog;
  private CommitLoop commits;
  private IndexLoop indexes;

  /// Recovers what `storage` holds.
  public SteppedShard(
      ShardStorage storage,
      ShardConfig config,
      BatchHasher hasher,
      HeadSigner signer,
      ArrayLimits limits)
      throws IOException, CorruptStreamException {
    this.storage = storage;
    this.config = config;
    this.recovery =
        new Recovery(
            storage,
            config,
            hasher,
            signer,
            List.of(ClueStores.opener(ClueRebuild.Watch.NONE)),
            limits);
    this.evidence = new Evidence(signer);
    this.intake = new Intake(config);
    this.open = recovery.open();
    this.backlog = newBacklog();
    this.commits = newCommits();
    this.indexes = newIndexes();
  }

  private IndexBacklog newBacklog() {
    return new IndexBacklog(config.indexAheadFrames(), config.indexAheadBytes());
  }

  private CommitLoop newCommits() {
    return new CommitLoop(config, storage, open, intake, backlog, metrics);
  }

  private IndexLoop newIndexes() {
    Answers answers = new Answers(open, evidence, Runnable::run);
    return new IndexLoop(config, storage, open, backlog, answers, commits::recycle, metrics);
  }

  public void submit(VerifiedSubmission submission, AppendWaiter waiter) {
    intake.put(List.of(new PendingAppend(new Appending(submission, waiter), _ -> {})), 0);
  }

  public CompletableFuture<Boolean> found(Founding founding) {
    PendingFounding pending = new PendingFounding(founding, _ -> {});
    intake.put(List.of(pending), 0);
    return pending.existed();
  }

  /// Inputs that no turn has taken yet.
  public int waiting() {
    return intake.size();
  }

  /// Whether a turn of the commit loop would not wait for the index loop.
  public boolean hasRoom() {
    return backlog.frames() < config.indexAheadFrames();
  }

  public int unindexed() {
    return backlog.frames();
  }

  /// One turn of the commit thread.
  public void commit() throws IOException {
    try {
      commits.turn(0);
    } catch (InterruptedException e) {
      throw new AssertionError("nothing is waited for", e);
    }
  }

  /// One turn of the index thread.
  public void index() throws IOException, CorruptStreamException {
    turnIndex();
  }

  private boolean turnIndex() throws IOException, CorruptStreamException {
    try {
      return indexes.turn(0);
    } catch (InterruptedException e) {
      throw new AssertionError("nothing is waited for", e);
    }
  }

  public void savepoint() throws IOException, CorruptStreamException {
    indexes.savepoint();
  }

  /// What {@link Shard} does when a loop has failed: the index loop ends, or who waits for it is
  /// told.
  ///
  /// @return why the index loop failed; null if it ended well
  public @Nullable Exception end(boolean indexFailed, Exception failure) {
    backlog.close();
    Exception cause = indexFailed ? failure : null;
    try {
      boolean more = cause == null;
      while (more) {
        more = turnIndex();
      }
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      cause = e;
    }
    try {
      if (cause != null) {
        indexes.failWaiting(cause);
      }
    } catch (InterruptedException e) {
      throw new AssertionError("nothing is waited for", e);
    }
    return cause;
  }

  /// Opens itself from disk again, what waits in the intake kept.
  public void reopen() throws IOException, CorruptStreamException {
    open.close();
    storage.meta().reopen();
    open = recovery.open();
    backlog = newBacklog();
    commits = newCommits();
    indexes = newIndexes();
  }

  /// Commits and indexes what was admitted and takes the last savepoint, turn by turn.
  public void close() throws IOException, CorruptStreamException {
    intake.close();
    boolean more = true;
    while (more) {
      while (backlog.frames() > 0) {
        turnIndex();
      }
      try {
        more = commits.turn(0);
      } catch (InterruptedException e) {
        throw new AssertionError("nothing is waited for", e);
      }
    }
    backlog.close();
    more = true;
    while (more) {
      more = turnIndex();
    }
    open.close();
  }

  /// Behind the last durable frame.
  public StreamPosition end() {
    return open.writer().end();
  }

  public Sequencer sequencer() {
    return open.sequencer();
  }

  public Indexer indexer() {
    return open.indexer();
  }

  public LogReader log() {
    return open.log();
  }

  public ClueReader clues() {
    return new ClueReader(evidence, open.log(), open.indexer().recentHeads());
  }

  public Evidence evidence() {
    return evidence;
  }
}

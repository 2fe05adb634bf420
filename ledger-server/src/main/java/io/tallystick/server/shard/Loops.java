package io.tallystick.server.shard;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The commit loop and the index loop of one opening of a shard, and how each ended. Commit turns
/// have one owner thread, index turns another. If the index loop fails, what still waits for it is
/// failed too: it is durable, but this opening will not seal it.
final class Loops {
  private final IndexBacklog backlog;
  private final CommitLoop commits;
  private final IndexLoop indexes;
  private @Nullable Throwable commitFailure;
  private volatile @Nullable Throwable indexFailure;

  Loops(IndexBacklog backlog, CommitLoop commits, IndexLoop indexes) {
    this.backlog = backlog;
    this.commits = commits;
    this.indexes = indexes;
  }

  IndexBacklog backlog() {
    return backlog;
  }

  /// @return false after the last turn: the intake is closed and drained, or a loop failed
  boolean commitTurn(long idleMillis) {
    try {
      if (commits.turn(idleMillis)) {
        return true;
      }
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      commitFailure = e;
    }
    backlog.close();
    return false;
  }

  /// @return false after the last turn: all that was committed is sealed and saved, or this loop
  ///   failed
  boolean indexTurn(long idleMillis) {
    try {
      return indexes.turn(idleMillis);
    } catch (IOException
        | CorruptStreamException
        | InterruptedException
        | RuntimeException
        | Error e) {
      failIndexing(e);
      return false;
    }
  }

  /// Takes a savepoint now. An index turn like any other.
  ///
  /// @return false if it failed
  boolean savepoint() {
    try {
      indexes.savepoint();
      return true;
    } catch (IOException | CorruptStreamException | RuntimeException | Error e) {
      failIndexing(e);
      return false;
    }
  }

  private void failIndexing(Throwable cause) {
    indexFailure = cause;
    backlog.close();
    failWaiting(cause);
  }

  /// To be called by the owner of the commit turns when both loops have had their last turn. Fails
  /// what was committed after the index loop had failed.
  ///
  /// @return why they ended, that the stream was fenced before all else; null if the shard is
  ///   closing
  @Nullable Throwable end() {
    Throwable cause = indexFailure;
    if (cause == null) {
      return commitFailure;
    }
    failWaiting(cause);
    return commitFailure instanceof StreamFencedException ? commitFailure : cause;
  }

  private void failWaiting(Throwable cause) {
    try {
      indexes.failWaiting(cause);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}

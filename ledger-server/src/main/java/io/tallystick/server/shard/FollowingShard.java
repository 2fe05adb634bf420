package io.tallystick.server.shard;

import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A shard that follows its stream, which another process writes: it replays what that has made
/// durable, signs nothing, and takes savepoints of its own. It can become the one that serves. One
/// owner thread.
public final class FollowingShard implements AutoCloseable {
  /// Between two openings after reads that found damage: the savepoint may have it, too.
  private static final long DAMAGED_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final RecoveryParts parts;
  private final Recovery recovery;

  /// Null after a failure, and at the end.
  private @Nullable Following following;

  private volatile @Nullable FollowedView view;
  private volatile boolean ending;
  private volatile boolean damaged;
  private long openedNanos;
  private long savedNanos;

  private FollowingShard(RecoveryParts parts) throws IOException, CorruptStreamException {
    this.parts = parts;
    this.recovery = new Recovery(parts);
    this.following = new Following(RestoredShard.of(parts));
    this.openedNanos = nanoTime();
    this.savedNanos = openedNanos;
  }

  private long nanoTime() {
    return parts.storage().ownership().nanoTime();
  }

  /// Restores the savepoint that is here. Neither reads the stream nor takes an epoch.
  ///
  /// @param arrays sizes at which arrays of the indexes move to files
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static FollowingShard open(
      ShardStorage storage,
      ShardConfig config,
      ArrayLimits arrays,
      BatchHasher hasher,
      HeadSigner signer,
      MeterRegistry registry)
      throws IOException, CorruptStreamException {
    return new FollowingShard(RecoveryParts.of(storage, config, arrays, hasher, signer, registry));
  }

  /// The first frame that is not replayed.
  ///
  /// @throws IllegalStateException if the last turn has failed
  public StreamPosition position() {
    Following current = following;
    if (current == null) {
      throw new IllegalStateException("the shard is not open");
    }
    return current.position();
  }

  /// Strands whose arrays are open; 0 after a failure.
  int awakeStrands() {
    Following current = following;
    return current == null ? 0 : current.indexer().awakeStrands();
  }

  /// What can be read of it, by any thread; null before the first turn, and when the shard was
  /// closed or has to be opened again.
  public @Nullable FollowedView view() {
    return view;
  }

  /// A turn that fetches images stops doing so, and so do all later ones. Any thread.
  public void endFetching() {
    ending = true;
  }

  /// A read has found damage: a later turn begins with the savepoint again. Any thread.
  public void damaged() {
    damaged = true;
  }

  /// Replays what is durable now. After a failure the next turn begins with the savepoint again; so
  /// does one that meets a frame which was erased since, with the newest that was shipped.
  ///
  /// @return whether it came further
  /// @throws CorruptStreamException if the stream contradicts itself or the savepoint
  public boolean turn() throws IOException, CorruptStreamException {
    if (damaged && nanoTime() - openedNanos >= DAMAGED_NANOS) {
      close();
    }
    Following current = open();
    current.look(); // what is replayed stays if there is nobody to ask
    following = null;
    boolean further;
    try {
      further = current.catchUp();
      current.fetchImages(() -> ending);
      saveIfDue(current);
      current.indexer().rest(parts.config().indexing().awakeStrandsMax()); // others read
    } catch (ErasedFrameException e) {
      view = null;
      current.close();
      following = recovery.again(e);
      return true;
    } catch (IOException | CorruptStreamException | RuntimeException | Error e) {
      view = null;
      RestoredShard.closeAfter(e, current);
      throw e;
    }
    following = current;
    view = current.view();
    return further;
  }

  /// What was replayed in so long need not be replayed again.
  private void saveIfDue(Following current) throws IOException, CorruptStreamException {
    long elapsed = nanoTime() - savedNanos;
    if (elapsed >= TimeUnit.MILLISECONDS.toNanos(parts.config().savepoints().millis())) {
      current.save();
      savedNanos = nanoTime();
    }
  }

  /// Takes a savepoint of all that is replayed.
  ///
  /// @throws IllegalStateException if the last turn has failed
  public void save() throws IOException, CorruptStreamException {
    Following current = following;
    if (current == null) {
      throw new IllegalStateException("the shard is not open");
    }
    current.save();
    savedNanos = nanoTime();
  }

  private Following open() throws IOException, CorruptStreamException {
    Following current = following;
    if (current == null) {
      parts.storage().meta().reopen();
      damaged = false;
      openedNanos = nanoTime();
      current = new Following(RestoredShard.of(parts));
      following = current;
    }
    return current;
  }

  /// Claims the stream, fencing whoever writes it, and replays the rest. This object ends, also if
  /// that fails.
  ///
  /// @param answerThreads run what tells the clients their receipts
  /// @param later runs what is read again
  /// @throws CorruptStreamException if what is stored contradicts itself; nothing was signed
  public Shard promote(Executor answerThreads, Later later)
      throws IOException, CorruptStreamException {
    Following current = open();
    following = null;
    view = null;
    return Shard.of(parts, recovery, current, answerThreads, later);
  }

  @Override
  public void close() throws IOException {
    Following current = following;
    following = null;
    view = null;
    if (current != null) {
      current.close();
    }
  }
}

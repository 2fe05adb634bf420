package io.tallystick.server.shard;

import io.tallystick.server.saved.SavepointRow;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The opening of a shard that there is, and how another takes its place after a failure. One that
/// a claim could not begin to serve can be read until the next claim, which goes on with it. The
/// commit thread changes it; any thread asks.
final class ShardOpenings implements FailurePolicy.Reopening {
  private static final Logger LOG = LoggerFactory.getLogger(ShardOpenings.class);

  private final ShardStorage storage;
  private final Recovery recovery;
  private final Function<OpenShard, Loops> newLoops;
  private final FailedReads failedReads;
  private final Replacing replacing;
  private volatile OpenShard present;
  private volatile Loops loops;
  private volatile boolean readable = true;

  /// Whether the present one has begun to serve.
  private boolean begun = true;

  /// Hears that what is open goes.
  interface Replacing {
    /// It is about to go, or has gone and nothing has begun to serve since.
    void begins();

    /// It is closed.
    void ended();
  }

  /// Begins to serve.
  ///
  /// @param first closed if that fails
  /// @param newLoops makes the loops of an opening
  ShardOpenings(
      ShardStorage storage,
      Recovery recovery,
      OpenShard first,
      Function<OpenShard, Loops> newLoops,
      FailedReads failedReads,
      Replacing replacing)
      throws IOException {
    this.storage = storage;
    this.recovery = recovery;
    this.newLoops = newLoops;
    this.failedReads = failedReads;
    this.replacing = replacing;
    this.present = first;
    try {
      first.claim().begin(first);
    } catch (IOException | RuntimeException | Error e) {
      RestoredShard.closeAfter(e, first);
      throw e;
    }
    this.loops = newLoops.apply(first);
  }

  OpenShard present() {
    return present;
  }

  /// Of the opening that has served last.
  Loops loops() {
    return loops;
  }

  boolean isReadable() {
    return readable;
  }

  @Override
  public @Nullable Throwable openAgain(Throwable cause) {
    return replace(
        cause,
        () -> {
          storage.meta().reopen();
          return recovery.open();
        });
  }

  @Override
  public @Nullable Throwable claimAgain(Throwable cause) {
    if (!readable) {
      return openAgain(cause); // claims when it is restored: a folder that fails takes no epochs
    }
    boolean goesOn = !begun;
    StreamClaim claim;
    try {
      storage.meta().reopen();
      claim =
          StreamClaim.take(
              storage, goesOn ? present.replayedTo() : SavepointRow.of(storage.meta()).position());
    } catch (CorruptStreamException _) {
      return replace(cause, recovery::open); // perhaps with a newer savepoint
    } catch (IOException | RuntimeException e) {
      return e; // what is open can be read on
    }
    return goesOn ? goOn(cause, claim) : replace(cause, () -> recovery.open(claim));
  }

  /// Opens a shard.
  private interface Opening {
    OpenShard open() throws IOException, CorruptStreamException;
  }

  /// @return null if the shard serves again
  private @Nullable Throwable replace(Throwable cause, Opening opening) {
    failedReads.shardOpens();
    replacing.begins();
    try {
      present.close();
    } catch (IOException e) {
      LOG.warn("closing the failed shard: {}", e.toString());
    }
    replacing.ended();
    return serve(cause, opening);
  }

  /// No frame's outcome is in the memory of an opening that never served: what it has is what was
  /// durable, and it is read meanwhile, unless it needs what is erased.
  ///
  /// @return null if the shard serves again
  private @Nullable Throwable goOn(Throwable cause, StreamClaim claim) {
    OpenShard before = present;
    failedReads.shardOpens();
    Throwable failed = serve(cause, () -> recovery.open(claim, before.following()));
    if (present.following() != before.following()) {
      replacing.begins();
      replacing.ended();
    }
    before.lease().end();
    try {
      before.writer().close();
    } catch (IOException e) {
      LOG.debug("closing a writer that had failed: {}", e.toString());
    }
    return failed;
  }

  /// @return null if the shard serves
  private @Nullable Throwable serve(Throwable cause, Opening opening) {
    OpenShard next;
    try {
      next = opening.open();
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      readable = false;
      return toTell(e, cause);
    }
    begun = false;
    present = next;
    readable = true;
    failedReads.shardIsOpen();
    try {
      next.claim().begin(next);
      begun = true;
      loops = newLoops.apply(next);
      return null;
    } catch (IOException | RuntimeException e) {
      return toTell(e, cause);
    }
  }

  /// What says best why the shard does not serve: the failure to open, if that may pass or why it
  /// was to be opened again has passed, else the latter.
  private static Throwable toTell(Throwable failure, Throwable cause) {
    if (failure instanceof DiskFullException
        || failure instanceof StreamFencedException
        || failure instanceof StreamUnavailableException
        || cause instanceof DiskFullException
        || cause instanceof StreamFencedException
        || cause instanceof StreamUnavailableException) {
      return failure;
    }
    cause.addSuppressed(failure);
    return cause;
  }
}

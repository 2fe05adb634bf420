package io.tallystick.server.shard;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.storage.disk.DiskFullException;
import java.io.IOException;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The phase that a shard is in, and what follows from the failure of its loops: after a full disk
/// it waits for room, after another failure of the disk it opens itself again, once, and after
/// anything else it takes no more appends. The phase changes on the commit thread only; any thread
/// may ask. Source: `docs/architecture.md`, "Recovery and failure".
final class FailurePolicy {
  private static final Logger LOG = LoggerFactory.getLogger(FailurePolicy.class);

  /// The room that reopening and a savepoint need at most: RocksDB's memtables, a segment's growth.
  private static final long REOPEN_FREE_BYTES_MIN = 32L << 20;

  private final ShardStorage storage;
  private final ShardConfig config;
  private final Intake intake;
  private final DiskStalls stalls;
  private final Reopening reopening;
  private volatile Shard.Phase phase = Shard.Phase.SERVING;
  private volatile @Nullable Throwable stopped;
  private @Nullable Throwable failure;
  private boolean mended;

  /// Opens the shard again from what is forced.
  interface Reopening {
    /// @param cause why its loops ended
    /// @return null if the shard can serve again; why not otherwise
    @Nullable Throwable openAgain(Throwable cause);
  }

  FailurePolicy(
      ShardStorage storage,
      ShardConfig config,
      Intake intake,
      DiskStalls stalls,
      Reopening reopening) {
    this.storage = storage;
    this.config = config;
    this.intake = intake;
    this.stalls = stalls;
    this.reopening = reopening;
  }

  Shard.Phase phase() {
    return phase;
  }

  /// Why appends are refused for good; null while they are not.
  @Nullable Throwable stopped() {
    return stopped;
  }

  /// Whether appends may be queued now.
  boolean takesAppends() {
    return stopped == null && stalls.now() == null;
  }

  /// The refusal of an append that is not taken.
  RequestRejectedException unavailable() {
    return Unavailable.because(stopped, stalls);
  }

  /// The loops have had their last turn.
  ///
  /// @param cause why they ended; null if the shard is closing
  void ended(@Nullable Throwable cause) {
    if (cause == null) {
      phase = Shard.Phase.ENDED;
    } else {
      failed(cause);
    }
  }

  private void failed(Throwable cause) {
    if (cause instanceof DiskFullException) {
      awaitRoom(cause);
    } else if (!mended && Mending.helps(cause, storage.disk())) {
      mended = true;
      reopen(cause);
    } else {
      stop(cause);
    }
  }

  private void awaitRoom(Throwable cause) {
    failure = cause;
    phase = Shard.Phase.NO_ROOM;
    LOG.error(
        "shard {} takes no appends until {} bytes are free: {}",
        storage.stream().shard(),
        roomWanted(),
        cause.toString());
  }

  private void stop(Throwable cause) {
    stopped = cause;
    phase = Shard.Phase.READ_ONLY;
    LOG.error(
        "shard {} takes no more appends until it is restarted: {}",
        storage.stream().shard(),
        cause.toString(),
        cause);
  }

  /// Serves again, or does what follows from the failure to open.
  private void reopen(Throwable cause) {
    LOG.error("shard {} reopens from disk after: {}", storage.stream().shard(), cause.toString());
    Throwable again = reopening.openAgain(cause);
    if (again == null) {
      if (phase == Shard.Phase.NO_ROOM) {
        LOG.warn("shard {} has room again: appends go on", storage.stream().shard());
      }
      phase = Shard.Phase.SERVING;
    } else {
      failed(again);
    }
  }

  /// A turn of a shard that takes no appends: refuses those that wait and, if the disk was full,
  /// reopens as soon as there is room.
  ///
  /// @param idleMillis the longest to wait for a submission
  void waitingTurn(long idleMillis) {
    if (intake.isDrained()) {
      phase = Shard.Phase.ENDED;
      return;
    }
    boolean noRoom = phase == Shard.Phase.NO_ROOM;
    try {
      RequestRejectedException refusal = noRoom ? storageFull() : unavailable();
      intake.take(idleMillis, false).forEach(input -> input.refuse(refusal));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      phase = Shard.Phase.ENDED;
      return;
    }
    if (noRoom) {
      reopenIfThereIsRoom(Objects.requireNonNull(failure));
    }
  }

  /// The disk filled up under the index or its savepoint. What is committed is safe in the stream;
  /// reads go on, appends are refused until there is room to reopen and save.
  private void reopenIfThereIsRoom(Throwable cause) {
    boolean room;
    try {
      room = storage.disk().freeBytes() >= roomWanted();
    } catch (IOException e) {
      cause.addSuppressed(e);
      room = true; // reopening will say what is wrong with the disk
    }
    if (room) {
      reopen(cause);
    }
  }

  private long roomWanted() {
    return Math.max(config.disk().freeBytesMin(), REOPEN_FREE_BYTES_MIN);
  }

  private RequestRejectedException storageFull() {
    long wanted = roomWanted();
    return new RequestRejectedException(
            RejectionCode.STORAGE_FULL,
            String.format(
                Locale.ROOT,
                "no room to save the index; appends resume when %d bytes are free",
                wanted))
        .withLimit(wanted);
  }
}

package io.tallystick.server.shard;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamUnavailableException;
import java.io.IOException;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The phase that a shard is in, and what follows from the failure of its loops: after a full disk
/// it waits for room. Where other processes may own the shard, it claims its stream again, however
/// often, after it was fenced while it is still named as the owner, and after those who keep the
/// stream were out of reach. After another failure it opens itself again, once, and after anything
/// else it takes no more appends. The phase changes on the commit thread only; any thread may ask.
/// Source: `docs/architecture.md`, "Recovery and failure".
final class FailurePolicy {
  private static final Logger LOG = LoggerFactory.getLogger(FailurePolicy.class);

  /// The room that reopening and a savepoint need at most: RocksDB's memtables, a segment's growth.
  private static final long REOPEN_FREE_BYTES_MIN = 32L << 20;

  /// Between two claims of the stream.
  private static final long CLAIM_PAUSE_NANOS_MIN = 100_000_000;

  private static final long CLAIM_PAUSE_NANOS_MAX = 5_000_000_000L;

  private final ShardStorage storage;
  private final ShardConfig config;
  private final Intake intake;
  private final DiskStalls stalls;
  private final Reopening reopening;
  private volatile Shard.Phase phase = Shard.Phase.SERVING;
  private volatile @Nullable Throwable stopped;
  private volatile @Nullable Throwable failure;
  private long pauseNanos = CLAIM_PAUSE_NANOS_MIN;
  private long claimedAt;
  private boolean mended;

  /// Whether another owns the shard.
  private volatile boolean lost;

  /// Opens the shard again from what is forced.
  interface Reopening {
    /// @param cause why its loops ended
    /// @return null if the shard can serve again; why not otherwise
    @Nullable Throwable openAgain(Throwable cause);

    /// Claims the stream first; if that fails, what is open stays so.
    ///
    /// @param cause why its loops ended
    /// @return null if the shard can serve again; why not otherwise
    @Nullable Throwable claimAgain(Throwable cause);
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

  /// Why appends are refused until an operator restarts the shard, or it has claimed its stream.
  @Nullable Throwable waitsFor() {
    return phase == Shard.Phase.UNCLAIMED ? failure : stopped;
  }

  /// Whether the stream may still be this shard's to change.
  boolean ownsStream() {
    return !lost && phase != Shard.Phase.UNCLAIMED && !(stopped instanceof StreamFencedException);
  }

  /// Whether appends may be queued now.
  boolean takesAppends() {
    return waitsFor() == null && stalls.now() == null;
  }

  /// The refusal of an append that is not taken.
  RequestRejectedException unavailable() {
    return Unavailable.because(waitsFor(), stalls);
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
    } else if (mayClaimAgain(cause)) {
      awaitClaim(cause);
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

  /// Whether a new epoch helps: nothing that is here is wrong. While the shard has none, whatever
  /// keeps it from a new one may pass.
  private boolean mayClaimAgain(Throwable cause) {
    return storage.ownership().isShared()
        && (cause instanceof StreamFencedException
            || cause instanceof StreamUnavailableException
            || (phase == Shard.Phase.UNCLAIMED && cause instanceof IOException));
  }

  private void awaitClaim(Throwable cause) {
    if (phase != Shard.Phase.UNCLAIMED) {
      pauseNanos = CLAIM_PAUSE_NANOS_MIN;
      LOG.warn(
          "shard {} takes no appends until it has claimed its stream again: {}",
          storage.stream().shard(),
          cause.toString());
    } else {
      pauseNanos = Math.min(2 * pauseNanos, CLAIM_PAUSE_NANOS_MAX);
    }
    failure = cause;
    phase = Shard.Phase.UNCLAIMED;
    claimedAt = storage.ownership().nanoTime();
  }

  /// Claims the stream again if that is due and the shard is still this process's to own.
  private void claimIfDue(Throwable cause) {
    Ownership ownership = storage.ownership();
    if (ownership.nanoTime() - claimedAt < pauseNanos) {
      return;
    }
    boolean ours;
    try {
      ours = ownership.isOurs();
    } catch (IOException e) {
      awaitClaim(cause); // nobody to ask
      return;
    }
    if (ours) {
      serveAgain(reopening.claimAgain(cause), "is its stream's owner again");
    } else {
      lost = true;
      stop(cause);
    }
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
    if (storage.ownership().isShared()) {
      awaitClaim(cause); // another may own the shard by now
      return;
    }
    LOG.error("shard {} reopens from disk after: {}", storage.stream().shard(), cause.toString());
    serveAgain(reopening.openAgain(cause), "has room again");
  }

  private void serveAgain(@Nullable Throwable again, String what) {
    if (again == null) {
      if (phase != Shard.Phase.SERVING) {
        LOG.warn("shard {} {}: appends go on", storage.stream().shard(), what);
      }
      phase = Shard.Phase.SERVING;
    } else {
      failed(again);
    }
  }

  /// A turn of a shard that takes no appends: refuses those that wait, and opens the shard again as
  /// soon as there is room, or the stream is claimed.
  ///
  /// @param idleMillis the longest to wait for a submission
  void waitingTurn(long idleMillis) {
    if (intake.isDrained()) {
      phase = Shard.Phase.ENDED;
      return;
    }
    Shard.Phase waits = phase;
    try {
      RequestRejectedException refusal =
          waits == Shard.Phase.NO_ROOM ? storageFull() : unavailable();
      intake.take(idleMillis, false).forEach(input -> input.refuse(refusal));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      phase = Shard.Phase.ENDED;
      return;
    }
    if (waits == Shard.Phase.NO_ROOM) {
      reopenIfThereIsRoom(Objects.requireNonNull(failure));
    } else if (waits == Shard.Phase.UNCLAIMED) {
      claimIfDue(Objects.requireNonNull(failure));
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

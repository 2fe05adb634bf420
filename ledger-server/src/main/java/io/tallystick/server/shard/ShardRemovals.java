package io.tallystick.server.shard;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.removal.Eraser;
import io.tallystick.server.removal.Stillness;
import io.tallystick.server.state.PastStates;
import io.tallystick.server.state.StateImages;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A shard's removals: the images that purges leave, and the erasing, beside commits and indexing.
/// After a failure it is begun again, from what is forced. In a shard that takes no appends nothing
/// can be noted, so it waits. {@link #turn} has one owner thread.
public final class ShardRemovals {
  /// What a turn left to do.
  public enum Left {
    /// At once.
    MORE,

    /// When a note of it is durable: a commit turn makes it so, and wakes {@link #await}.
    NOTED,

    /// When a further removal is saved, or a purge can no longer be recalled.
    NOTHING,

    /// After a pause: the disk is full or failed, or a note is refused.
    FAILED
  }

  private static final Logger LOG = LoggerFactory.getLogger(ShardRemovals.class);
  private static final long SWEEP_AGAIN_MILLIS = 120_000;

  private final ShardStorage storage;
  private final StateImages states;
  private final PastStates past;
  private final Semaphore saved = new Semaphore(0);
  private @Nullable Eraser eraser;
  private @Nullable OpenShard openedOn;

  /// When objects are swept, by the clock.
  private long sweepAtMs;

  private boolean refused;
  private volatile long dueMs = Long.MAX_VALUE;
  private final AtomicInteger blocked = new AtomicInteger();
  private final Stillness still;

  ShardRemovals(RecoveryParts parts, PastStates past) throws IOException {
    this.storage = parts.storage();
    this.past = past;
    this.still = parts.still();
    this.states = StateImages.open(storage.disk(), parts.images());
  }

  /// What purges leave of states. Any thread.
  public StateImages states() {
    return states;
  }

  /// The states between saved versions, which purges drop. Any thread.
  public PastStates past() {
    return past;
  }

  /// Held while a backup is made: turns do nothing then.
  public Stillness still() {
    return still;
  }

  /// A backup was made: turns go on. Any thread.
  public void resume() {
    still.release();
    removalSaved(); // so that the owner of the turns looks
  }

  /// A savepoint has a removal, or was shipped, or a note of the eraser is answered. Any thread.
  public void removalSaved() {
    saved.release();
  }

  /// Waits until a further removal is saved, or a purge can no longer be recalled, or for `millis`.
  public void await(long millis) throws InterruptedException {
    long untilDue = Math.max(1, dueMs - storage.clock().millis());
    if (saved.tryAcquire(Math.min(millis, untilDue), TimeUnit.MILLISECONDS)) {
      var _ = saved.drainPermits();
    }
  }

  /// Waits until a further removal is saved, or for `millis`, although a purge may be due.
  public void awaitAfterFailure(long millis) throws InterruptedException {
    if (saved.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
      var _ = saved.drainPermits();
    }
  }

  /// Removals whose bytes are damaged, so that they cannot be erased.
  int blocked() {
    return blocked.get();
  }

  /// Erases a piece.
  Left turn(OpenShard shard) {
    if (!still.beginChange()) {
      dueMs = Long.MAX_VALUE; // whoever holds it wakes the owner
      return Left.NOTHING;
    }
    try {
      return erase(shard);
    } finally {
      still.endChange();
    }
  }

  private Left erase(OpenShard shard) {
    shard.tables().noted().deleteUnnamed();
    shard.tables().images().fetching().fetch();
    try {
      Eraser current = eraserOn(shard);
      return switch (current.turn(this::report)) {
        case MORE -> {
          refused = false;
          yield Left.MORE;
        }
        case NOTED -> {
          dueMs = Long.MAX_VALUE;
          yield Left.NOTED;
        }
        case NOTHING -> {
          dueMs = current.dueMs();
          yield Left.NOTHING;
        }
      };
    } catch (RequestRejectedException refusal) {
      tell(refusal);
      return Left.FAILED;
    } catch (DiskFullException e) {
      LOG.warn("erasing waits for room on the disk: {}", e.getMessage());
    } catch (IOException | RuntimeException e) {
      LOG.error("erasing failed and is tried again: {}", e.toString(), e);
    }
    close();
    return Left.FAILED;
  }

  private void tell(RequestRejectedException refusal) {
    dueMs = Long.MAX_VALUE;
    if (!refused) {
      refused = true;
      LOG.info("erasing waits: {}", refusal.getMessage());
    }
  }

  @SuppressWarnings("ReferenceEquality") // one opening is not another
  private Eraser eraserOn(OpenShard shard) throws IOException {
    if (openedOn != shard) {
      close();
      openedOn = shard;
      sweepAtMs = Long.MIN_VALUE;
    }
    sweepObjects(shard);
    Eraser current = eraser;
    if (current == null) {
      current =
          new Eraser(
              storage.meta(),
              shard.tables().erasures(),
              storage.streams().openEraser(storage.stream()),
              shard.sequencer(),
              shard.indexer(),
              shard.log(),
              shard.gate(),
              states,
              shard.tables().images(),
              past,
              storage.clock(),
              this::removalSaved);
      eraser = current;
      blocked.set(0);
    }
    return current;
  }

  /// Where others have made some, too: once for each opening. It reads of all logs of a cluster, so
  /// after a failure it waits. Values in images are erased behind it.
  private void sweepObjects(OpenShard shard) {
    if (!shard.tables().objects().isShared() || storage.clock().millis() < sweepAtMs) {
      return;
    }
    try {
      shard.tables().sweepObjects(shard.epoch());
      sweepAtMs = Long.MAX_VALUE;
    } catch (IOException | CorruptStreamException e) {
      sweepAtMs = storage.clock().millis() + SWEEP_AGAIN_MILLIS;
      LOG.warn("objects of earlier owners cannot be looked for now: {}", e.toString());
    }
  }

  private void report(Eraser.Blocked removal) {
    blocked.incrementAndGet();
    LOG.error(
        "removal {} of ledger {} cannot be erased until its bytes are repaired: {}",
        removal.jsn(),
        removal.ledger(),
        removal.cause().toString());
  }

  /// For the owner of the turns, when there are no more.
  void close() {
    Eraser current = eraser;
    eraser = null;
    if (current != null) {
      try {
        current.close();
      } catch (IOException e) {
        LOG.warn("closing the eraser: {}", e.toString());
      }
    }
  }
}

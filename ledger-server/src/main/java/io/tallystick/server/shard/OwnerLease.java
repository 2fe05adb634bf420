package io.tallystick.server.shard;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/// How long the owner of a shard may say that there is no more than it knows: the newest head, and
/// that a size, a jsn, a ledger or a member does not exist. Each frame that is confirmed proves
/// that nobody had fenced the owner when the frame was sent. Whoever takes the shard over waits
/// longer than that lasts before it serves. A data directory has one owner for ever. One opening of
/// the shard has one lease. Thread-safe.
public final class OwnerLease {
  /// How long a confirmed frame counts, from before it was sent.
  static final long TERM_NANOS = 1_000_000_000;

  /// How long a claimer waits from the end of its fencing before it serves.
  static final long CLAIM_WAIT_NANOS = 1_200_000_000;

  /// A lease that somebody asks for is renewed once so much of it has passed.
  private static final long RENEWAL_NANOS = TERM_NANOS / 2;

  private static final int LOOKS = 20;
  private static final long LOOK_NANOS = 10_000_000;
  private static final long TERM_MILLIS = TERM_NANOS / 1_000_000;

  private final Ownership ownership;
  private final InstantSource clock;
  private volatile @Nullable Stamp newest;
  private volatile long newestFrame = -1;
  private volatile boolean wanted;
  private volatile boolean last;
  private volatile boolean ended;

  /// When something was sent, by both clocks: the one that never goes back may stand still while
  /// the machine is suspended.
  record Stamp(long nanos, long wallMs) {}

  OwnerLease(Ownership ownership, InstantSource clock) {
    this.ownership = ownership;
    this.clock = clock;
  }

  /// To be taken before a frame is sent.
  Stamp sending() {
    return new Stamp(ownership.nanoTime(), clock.millis());
  }

  /// A frame that was sent then is confirmed.
  void confirmed(Stamp sent, long frame) {
    newestFrame = frame;
    newest = sent;
    wanted = false;
    ownership.confirmed(frame);
  }

  /// The newest frame that is confirmed; -1 before the first of this opening.
  public long newestFrame() {
    return newestFrame;
  }

  /// No frame of this opening is confirmed any more.
  void renewNoMore() {
    last = true;
  }

  /// The shard is not served by this opening any more.
  void end() {
    last = true;
    ended = true;
  }

  /// Whether what this opening knows is all there is. To be asked after that was read.
  public boolean isHeld() {
    if (!ownership.isShared()) {
      return true; // nobody else has written since it was read
    }
    if (ended) {
      return false;
    }
    Stamp sent = newest;
    if (sent == null) {
      wanted = true;
      return false;
    }
    Stamp now = sending();
    long nanos = now.nanos - sent.nanos;
    long millis = now.wallMs - sent.wallMs;
    if (nanos >= RENEWAL_NANOS) {
      wanted = true;
    }
    return nanos < TERM_NANOS && millis >= 0 && millis < TERM_MILLIS;
  }

  /// Whether somebody asked, and a frame must be confirmed for the answer to stay yes.
  boolean isDue() {
    return wanted;
  }

  /// Waits a little for a frame to be confirmed if it is not held and one may still come.
  ///
  /// @throws RequestRejectedException `UNAVAILABLE` if it is not held then
  public void await() throws RequestRejectedException {
    try {
      for (int looks = 0; looks < LOOKS && !isHeld() && !last; looks++) {
        ownership.pause(LOOK_NANOS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    check();
  }

  /// @throws RequestRejectedException `UNAVAILABLE` if it is not held
  public void check() throws RequestRejectedException {
    if (!isHeld()) {
      throw notHeld();
    }
  }

  /// The answer where what this opening knows may not be all there is.
  static RequestRejectedException notHeld() {
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE,
        "whether there is more is not known: the shard may have another owner");
  }
}

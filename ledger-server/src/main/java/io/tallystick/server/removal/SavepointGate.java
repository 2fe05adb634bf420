package io.tallystick.server.removal;

import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.stream.StreamPosition;
import java.util.Collection;
import java.util.Locale;
import java.util.function.LongSupplier;

/// Lets nothing of a frame go before a savepoint lies behind it: a restart would replay zeros, and
/// the fork guards behind them would fail for ever. Where another machine may take the shard over,
/// that savepoint is one that was shipped. Thread-safe.
public final class SavepointGate {
  /// Above all locations.
  private static final long NO_BOUND = -1;

  private final LongSupplier shippedTo;

  /// Location of the first frame that the newest durable savepoint has not.
  private volatile long savedTo;

  /// @param saved behind the last frame that the savepoint has from which the shard was opened
  public SavepointGate(StreamPosition saved) {
    this(saved, () -> NO_BOUND);
  }

  /// @param shippedTo location of the first frame that the newest shipped savepoint has not,
  ///   unsigned
  public SavepointGate(StreamPosition saved, LongSupplier shippedTo) {
    this.savedTo = saved.frame();
    this.shippedTo = shippedTo;
  }

  private long end() {
    long shipped = shippedTo.getAsLong();
    long saved = savedTo;
    return Long.compareUnsigned(shipped, saved) < 0 ? shipped : saved;
  }

  /// A further savepoint is durable.
  ///
  /// @param to behind the last frame that it has
  public void saved(StreamPosition to) {
    savedTo = to.frame();
  }

  /// Whether a savepoint has what a frame says.
  boolean has(long frame) {
    return Long.compareUnsigned(frame, end()) < 0;
  }

  /// @throws IllegalStateException if no savepoint has one of the frames; none may be erased then
  void checkErasable(Collection<ErasedFrame> frames) {
    for (ErasedFrame each : frames) {
      if (!has(each.frame())) {
        throw new IllegalStateException(
            String.format(
                Locale.ROOT,
                "frame %d at %x would be erased, and the savepoint ends at %x",
                each.header().number(),
                each.frame(),
                end()));
      }
    }
  }

  /// @param frame the first that stays
  /// @throws IllegalStateException if one before it may be in no savepoint
  void checkDroppable(long frame) {
    if (Long.compareUnsigned(frame, end()) > 0) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "frames before %x would be dropped, and the savepoint ends at %x",
              frame,
              end()));
    }
  }
}

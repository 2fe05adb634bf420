package io.tallystick.server.shard;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.keys.KeyNotReadException;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.read.ReadFaults;
import io.tallystick.server.state.ImageNotFetchedException;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// The answers to reads of a shard that fail; the operator is told. A read that meets the shard's
/// reopening sees some of the old state and some of the new: that is no damage and no failure, and
/// the next try sees one of them. Thread-safe.
public final class FailedReads {
  private final Supplier<LogReader> log;
  private final AtomicLong openings = new AtomicLong(); // odd while it reopens

  FailedReads(Supplier<LogReader> log) {
    this.log = log;
  }

  /// Changes when the shard begins to open itself again and when it has: what was read in between
  /// says nothing. To be asked before a read.
  public long openings() {
    return openings.get();
  }

  void shardOpens() {
    openings.updateAndGet(count -> count | 1);
  }

  void shardIsOpen() {
    openings.incrementAndGet();
  }

  private boolean isReopened(long before) {
    return openings.get() != before || before % 2 != 0;
  }

  /// @param before what {@link #openings} was when the read began
  public RequestRejectedException damaged(
      StrandId strand, long before, RequestRejectedException damage) {
    if (isReopened(before)) {
      return new RequestRejectedException(
          RejectionCode.UNAVAILABLE, "the shard opened itself again meanwhile", damage);
    }
    log.get().faults().damaged(strand, damage);
    return damage;
  }

  /// @param before what {@link #openings} was when the read began
  public RequestRejectedException damaged(
      StrandId strand, long before, CorruptStreamException damage) {
    return damaged(
        strand,
        before,
        new RequestRejectedException(
            RejectionCode.DAMAGED, String.valueOf(damage.getMessage()), damage));
  }

  /// @param before what {@link #openings} was when the read began
  public RequestRejectedException failed(long before, IOException failure) {
    if (failure instanceof ImageNotFetchedException || failure instanceof KeyNotReadException) {
      return new RequestRejectedException(
          RejectionCode.UNAVAILABLE, String.valueOf(failure.getMessage()), failure);
    }
    return isReopened(before)
        ? ReadFaults.unavailable(failure)
        : log.get().faults().failed(failure);
  }
}

package io.tallystick.server.shard;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.concurrent.atomic.AtomicLong;

/// Bounds the bytes of submissions that a shard has taken in and not answered. Thread-safe.
final class Admission {
  private final long bytesMax;
  private final AtomicLong bytes = new AtomicLong();

  Admission(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// One that is larger than the limit is let in alone.
  ///
  /// @throws RequestRejectedException `RATE_LIMITED`
  void admit(long size) throws RequestRejectedException {
    long before = bytes.getAndAdd(size);
    if (before > 0 && before + size > bytesMax) {
      release(size);
      throw new RequestRejectedException(
              RejectionCode.RATE_LIMITED, "more than " + bytesMax + " bytes wait to be committed")
          .withLimit(bytesMax);
    }
  }

  void release(long size) {
    bytes.addAndGet(-size);
  }

  long bytes() {
    return bytes.get();
  }
}

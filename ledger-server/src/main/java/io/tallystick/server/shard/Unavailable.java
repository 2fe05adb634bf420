package io.tallystick.server.shard;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import org.jspecify.annotations.Nullable;

/// The answer to an append that a shard does not take.
final class Unavailable {
  private Unavailable() {}

  /// @param stopped why the shard takes none for good; null while it does
  static RequestRejectedException because(@Nullable Throwable stopped, DiskStalls stalls) {
    if (stopped != null) {
      return new RequestRejectedException(
          RejectionCode.UNAVAILABLE,
          "the shard takes no appends: " + stopped.getMessage(),
          stopped);
    }
    String still = stalls.detail();
    return new RequestRejectedException(
        RejectionCode.UNAVAILABLE,
        still.isEmpty() ? "the shard is closing" : "the shard takes no appends: " + still);
  }
}

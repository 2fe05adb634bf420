package io.tallystick.client.state;

import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.model.Printable;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// The block that was the newest at a time, by the times in the seals: sealed not after it, while
/// the block after it was sealed after it. Both are verified, and the later one names the earlier.
///
/// @param time that was asked for
/// @param next the block after it; empty if the service says that there is none: it may still seal
///   one for that time
public record AtTime(Instant time, VerifiedBlock block, Optional<VerifiedBlock> next) {
  /// Whether no block to come can be the one instead.
  public boolean isFinal() {
    return next.isPresent();
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "AtTime[height %d at %s, %s]",
        block.height(),
        Printable.time(time.toEpochMilli()),
        isFinal() ? "final" : "not final");
  }
}

package io.tallystick.node;

import java.time.Duration;
import java.util.Optional;

/// How large a block becomes and how long it waits for journals. Source: LedgerDB 8.3, size of a
/// bAMT and interval of its finalisation.
///
/// @param journalsMax a block takes no further submission once it holds so many journals, 1 to
///   {@link #JOURNALS_MAX}; a batch is never cut, so one may pass it
/// @param linger how long a block waits for more from its first submission on, unless it is full; 0
///   to {@link #LINGER_MAX}; empty: as the load suggests, 20 ms at most (decisions 7, 14 and 17)
public record BlockLimits(int journalsMax, Optional<Duration> linger) {
  /// More than a frame of 16 MiB holds.
  public static final int JOURNALS_MAX = 1_000_000;

  public static final Duration LINGER_MAX = Duration.ofSeconds(1);

  /// As large as a frame, and as the load suggests.
  public static final BlockLimits DEFAULT = new BlockLimits(JOURNALS_MAX, Optional.empty());

  public BlockLimits {
    if (journalsMax < 1 || journalsMax > JOURNALS_MAX) {
      throw new IllegalArgumentException(
          "a block of " + journalsMax + " journals, want 1 to " + JOURNALS_MAX);
    }
    if (linger.isPresent()
        && (linger.get().isNegative() || linger.get().compareTo(LINGER_MAX) > 0)) {
      throw new IllegalArgumentException(
          "a block lingers "
              + linger.get().toMillis()
              + " ms, want 0 to "
              + LINGER_MAX.toMillis()
              + " ms");
    }
  }
}

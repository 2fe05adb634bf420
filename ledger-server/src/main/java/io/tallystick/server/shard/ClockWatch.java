package io.tallystick.server.shard;

import io.tallystick.journal.Limits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the operator when the clock was set back behind journals that are committed: until it has
/// caught up, every request that is dated rightly is refused as expired. One owner thread.
final class ClockWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ClockWatch.class);

  private final int shard;
  private boolean told;

  ClockWatch(int shard) {
    this.shard = shard;
  }

  /// @param timeMs the shard's time, which no journal may precede
  void look(long timeMs, long clockMs) {
    long aheadMs = timeMs - clockMs;
    if (aheadMs > Limits.CLOCK_SKEW_MS_MAX && !told) {
      told = true;
      LOG.error(
          "shard {} has journals dated {} ms ahead of the clock, which was set back; requests and"
              + " tokens dated by it are refused as expired until it has caught up",
          shard,
          aheadMs);
    } else if (aheadMs <= 0 && told) {
      told = false;
      LOG.warn("shard {}: the clock has caught up with the journals", shard);
    }
  }
}

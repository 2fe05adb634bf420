package io.tallystick.master.anchor;

import io.tallystick.node.UnanchoredHead;
import java.time.Duration;

/// When a ledger is anchored: once so many of its journals wait, or the oldest of them for so long;
/// the first time at once. A ledger in which nothing happens is left alone.
///
/// @param journals at least 1
/// @param interval above zero
public record AnchorSchedule(long journals, Duration interval) {
  public AnchorSchedule {
    if (journals < 1) {
      throw new IllegalArgumentException(
          "anchored after " + journals + " journals, want 1 or more");
    }
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException("anchored after " + interval);
    }
  }

  boolean isDue(UnanchoredHead head, long nowMs) {
    return head.first()
        || head.journals() >= journals
        || nowMs - head.sinceMs() >= interval.toMillis();
  }
}

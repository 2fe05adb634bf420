package io.tallystick.server.world;

import io.tallystick.model.Digest;

/// When a member became a regulator that is one still. A regulator counts for journals above that,
/// and for older ones when a while has passed.
///
/// @param jsn of the journal that made it one
/// @param timeMs of that journal's leaf
record RegulatorStart(Digest kid, long jsn, long timeMs) {
  /// 30 days.
  private static final long OLDER_JOURNALS_AFTER_MS = 30L * 24 * 60 * 60 * 1000;

  /// From when on it counts for a journal at `target` or above.
  long countsFromMs(long target) {
    return target > jsn ? 0 : timeMs + OLDER_JOURNALS_AFTER_MS;
  }
}

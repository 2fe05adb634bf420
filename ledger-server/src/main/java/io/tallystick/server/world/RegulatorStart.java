package io.tallystick.server.world;

import io.tallystick.model.Digest;
import java.util.OptionalLong;

/// When a member became a regulator that is one still. A regulator counts for journals above that,
/// and for older ones when a while has passed. Source: `docs/formats/removal.md`.
///
/// @param jsn of the journal that made it one
/// @param timeMs of that journal's leaf
/// @param coveredMs the leaf's time of the first time journal whose size covers that journal; empty
///   if there is none yet
record RegulatorStart(Digest kid, long jsn, long timeMs, OptionalLong coveredMs) {
  /// The answer of {@link #countsFromMs} while the days have not begun.
  static final long NOT_BEGUN = Long.MAX_VALUE;

  /// 30 days.
  private static final long OLDER_JOURNALS_AFTER_MS = 30L * 24 * 60 * 60 * 1000;

  /// From when on it counts for a journal at `target` or above.
  ///
  /// @param anchored whether the ledger has a time journal
  long countsFromMs(long target, boolean anchored) {
    if (target > jsn) {
      return 0;
    }
    if (anchored && coveredMs.isEmpty()) {
      return NOT_BEGUN;
    }
    return coveredMs.orElse(timeMs) + OLDER_JOURNALS_AFTER_MS;
  }

  /// After a time journal; the same object if that is not the first to cover it.
  RegulatorStart covered(long size, long leafMs) {
    return coveredMs.isPresent() || size <= jsn
        ? this
        : new RegulatorStart(kid, jsn, timeMs, OptionalLong.of(leafMs));
  }
}

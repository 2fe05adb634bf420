package io.tallystick.client;

import io.tallystick.lineage.LineageProof;

/// How much of a lineage is taken into memory at once.
///
/// @param journalsMax of one answer
/// @param headerBytesMax of one answer's journals together
/// @param pageJournals asked for in one call; the service may give fewer
record LineageLimits(long journalsMax, long headerBytesMax, int pageJournals) {
  /// A journal is kept decoded, at some times its bytes: what is larger is for a {@link
  /// LineageWalk}.
  static final LineageLimits DEFAULT =
      new LineageLimits(LedgerHandle.LINEAGE_JOURNALS_MAX, 64L << 20, LineageRange.PAGE_MAX);

  /// What one proof takes.
  static final LineageLimits FILE =
      new LineageLimits(LineageProof.COUNT_MAX, DEFAULT.headerBytesMax(), LineageRange.PAGE_MAX);

  LineageLimits {
    if (journalsMax < 1 || headerBytesMax < 1 || pageJournals < 1) {
      throw new IllegalArgumentException("limits are at least 1");
    }
  }
}

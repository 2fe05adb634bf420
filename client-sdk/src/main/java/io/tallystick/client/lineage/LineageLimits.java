package io.tallystick.client.lineage;

import io.tallystick.lineage.LineageProof;

/// How much of a lineage is taken into memory at once.
///
/// @param journalsMax of one answer
/// @param headerBytesMax of one answer's journals together
/// @param pageJournals asked for in one call; the service may give fewer
public record LineageLimits(long journalsMax, long headerBytesMax, int pageJournals) {
  /// The most journals of one answer, by default.
  public static final int JOURNALS_MAX = 200_000;

  /// A journal is kept decoded, at some times its bytes: what is larger is for a {@link
  /// LineageWalk}.
  public static final LineageLimits DEFAULT =
      new LineageLimits(JOURNALS_MAX, 64L << 20, LineageRange.PAGE_MAX);

  /// The limits of a lineage that fits into one proof.
  static final LineageLimits FILE =
      new LineageLimits(LineageProof.COUNT_MAX, DEFAULT.headerBytesMax(), LineageRange.PAGE_MAX);

  public LineageLimits {
    if (journalsMax < 1 || headerBytesMax < 1 || pageJournals < 1) {
      throw new IllegalArgumentException("limits are at least 1");
    }
  }
}

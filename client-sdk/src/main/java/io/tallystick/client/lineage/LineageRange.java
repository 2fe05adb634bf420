package io.tallystick.client.lineage;

import io.tallystick.model.Jsn;
import org.jspecify.annotations.Nullable;

/// Where a walk over a clue's journals begins and which way it goes.
///
/// @param descending from the newest to the oldest
/// @param from the first one not below it, descending: not above it; null: from the clue's first,
///   descending from its last
/// @param pageJournals asked for at once; the service may give fewer
public record LineageRange(boolean descending, @Nullable Jsn from, int pageJournals) {
  /// The most journals of one page.
  public static final int PAGE_MAX = 10_000;

  private static final int PAGE_DEFAULT = 1000;

  public LineageRange {
    if (pageJournals < 1 || pageJournals > PAGE_MAX) {
      throw new IllegalArgumentException(
          "page of " + pageJournals + " journals, want 1 to " + PAGE_MAX);
    }
  }

  public static LineageRange forwards() {
    return new LineageRange(false, null, PAGE_DEFAULT);
  }

  public static LineageRange backwards() {
    return new LineageRange(true, null, PAGE_DEFAULT);
  }

  public LineageRange from(Jsn jsn) {
    return new LineageRange(descending, jsn, pageJournals);
  }

  public LineageRange withPagesOf(int journals) {
    return new LineageRange(descending, from, journals);
  }
}

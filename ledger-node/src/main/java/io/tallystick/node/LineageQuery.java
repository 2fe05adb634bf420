package io.tallystick.node;

import io.tallystick.model.Digest;
import java.util.Locale;

/// Which of a clue's journals are wanted.
///
/// @param from where to begin: an index among the clue's journals (from 0) or a jsn; {@link
///   #FROM_END} for the first one in the wanted direction
/// @param fromIsJsn whether `from` is a jsn
/// @param descending whether from there downwards
/// @param limit at most so many, 1 to {@link #LIMIT_MAX}
/// @param asOfSize journals among the log's first leaves, so many, alone; 0: all
/// @param headSize of the head to prove them under, as an earlier page named it; 0: the newest
public record LineageQuery(
    Digest clueId,
    long from,
    boolean fromIsJsn,
    boolean descending,
    int limit,
    long asOfSize,
    long headSize) {
  public static final long FROM_END = -1;

  /// Some 4 MB of leaves.
  public static final int LIMIT_MAX = 10_000;

  public LineageQuery {
    if (limit < 1 || limit > LIMIT_MAX || from < FROM_END || asOfSize < 0 || headSize < 0) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "limit %d or places out of range", limit));
    }
  }

  public LineageQuery withAsOfSize(long size) {
    return new LineageQuery(clueId, from, fromIsJsn, descending, limit, size, headSize);
  }

  /// All of a clue's journals, as far as one page goes.
  public static LineageQuery all(Digest clueId) {
    return new LineageQuery(clueId, FROM_END, false, false, LIMIT_MAX, 0, 0);
  }
}

package io.tallystick.node;

import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import java.util.Optional;

/// Which keys of a ledger's state are wanted.
///
/// @param from the first; may be empty
/// @param to behind the last; empty for all from `from` on
/// @param limit at most so many, 1 to {@link StateRange#RESULTS_MAX}
/// @param height of the block whose version is wanted, or {@link StateReads#NEWEST}
/// @param withValues whether the values are read
public record StateQuery(
    Bytes from, Optional<Bytes> to, int limit, long height, boolean withValues) {
  public StateQuery {
    if (limit < 1 || limit > StateRange.RESULTS_MAX) {
      throw new IllegalArgumentException("limit " + limit);
    }
  }

  /// The same as of another block.
  public StateQuery at(long otherHeight) {
    return new StateQuery(from, to, limit, otherHeight, withValues);
  }
}

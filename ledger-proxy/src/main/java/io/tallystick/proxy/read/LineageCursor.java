package io.tallystick.proxy.read;

import io.tallystick.model.Digest;
import io.tallystick.node.LineageQuery;

/// Where the next page of a lineage begins and how the walk goes on: in the same direction, under
/// the head that its first page was proven under.
///
/// @param next index among the clue's journals
/// @param asOfSize 0: all journals under the head
public record LineageCursor(long next, boolean descending, long headSize, long asOfSize) {
  public LineageQuery query(Digest clueId, int limit) {
    return new LineageQuery(clueId, next, false, descending, limit, asOfSize, headSize);
  }
}

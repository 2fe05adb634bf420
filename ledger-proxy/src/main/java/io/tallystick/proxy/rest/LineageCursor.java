package io.tallystick.proxy.rest;

import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;

/// Where the next page of a lineage begins and how the walk goes on: in the same direction, under
/// the head that its first page was proven under. Opaque to clients.
///
/// @param next index among the clue's journals
/// @param asOfSize 0: all journals under the head
record LineageCursor(long next, boolean descending, long headSize, long asOfSize) {
  /// A clue's id belongs to one ledger.
  private static CursorText text(Digest clueId) {
    return new CursorText("tallystick/lineage-page/1", clueId.toArray(), 4);
  }

  String encode(Digest clueId) {
    return text(clueId).encode(next, descending ? 1 : 0, headSize, asOfSize);
  }

  static LineageCursor decode(Digest clueId, String text) throws RequestRejectedException {
    long[] numbers = text(clueId).decode(text);
    return new LineageCursor(numbers[0], numbers[1] != 0, numbers[2], numbers[3]);
  }
}

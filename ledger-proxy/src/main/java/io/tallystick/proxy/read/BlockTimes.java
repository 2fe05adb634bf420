package io.tallystick.proxy.read;

import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerNode;

/// The blocks of a log by their times, which never decrease along it.
final class BlockTimes {
  private BlockTimes() {}

  /// The first block that reaches a time.
  ///
  /// @param low height of the first one that may be it
  /// @param last a block that reaches it
  static BlockView first(LedgerNode node, StrandId strand, long low, BlockView last, long timeMs)
      throws RequestRejectedException {
    long from = low;
    BlockView first = last;
    while (from < first.height()) {
      BlockView middle = node.blockAt(strand, from + (first.height() - from) / 2);
      if (middle.timeMs() < timeMs) {
        from = middle.height() + 1;
      } else {
        first = middle;
      }
    }
    return first;
  }
}

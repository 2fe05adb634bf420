package io.tallystick.proxy.read;

import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.BlockView;
import io.tallystick.node.LedgerNode;
import java.util.Locale;
import java.util.Optional;

/// The last block of a log whose time is not after a time that was asked for.
///
/// @param next the block after it, whose time is after that time, so that no other block can become
///   the last; empty if the block is the newest
public record BlockAtTime(BlockView block, Optional<BlockView> next) {
  /// @throws RequestRejectedException `TIME_OUT_OF_RANGE` before genesis and after the service's
  ///   clock
  static BlockAtTime find(LedgerNode node, StrandId strand, long timeMs)
      throws RequestRejectedException {
    BlockView newest = node.newestBlock(strand);
    long lastMs = Math.max(newest.timeMs(), node.timeMs());
    long firstMs = node.blockAt(strand, 0).timeMs();
    if (timeMs < firstMs || timeMs > lastMs) {
      throw new RequestRejectedException(
              RejectionCode.TIME_OUT_OF_RANGE,
              String.format(
                  Locale.ROOT,
                  "%s is not between %s, when the ledger was founded, and %s, the service's time",
                  Printable.time(timeMs),
                  Printable.time(firstMs),
                  Printable.time(lastMs)))
          .withLimit(timeMs < firstMs ? firstMs : lastMs);
    }
    if (newest.timeMs() <= timeMs) {
      return new BlockAtTime(newest, Optional.empty());
    }
    BlockView next = BlockTimes.first(node, strand, 1, newest, timeMs + 1);
    return new BlockAtTime(node.blockAt(strand, next.height() - 1), Optional.of(next));
  }
}

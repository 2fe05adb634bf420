package io.tallystick.server.state;

import io.tallystick.model.Digest;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.forest.HeldEntry;
import io.tallystick.storage.forest.ScratchForest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/// Brings a state to a later block by the operations of the blocks in between, each of which must
/// make the root that it sealed.
final class StateReplay {
  /// Looks at a block before its operations are carried out.
  @FunctionalInterface
  interface Check {
    Check NONE = (_, _) -> {};

    void of(BlockRow row, BlockInfo block) throws IOException, CorruptStreamException;
  }

  private StateReplay() {}

  /// @param from height of the state
  static void run(
      ScratchForest state, StrandIndex strand, long from, long height, LogReader log, Check check)
      throws IOException, CorruptStreamException, RequestRejectedException {
    Digest root = state.root().digest();
    for (long each = from + 1; each <= height; each++) {
      BlockRow row = strand.block(each);
      if (!row.stateRoot().equals(root)) { // else it has no operation
        state.apply(each, writes(strand, each, row, log, check));
        checkSealed(strand, each, state);
        root = row.stateRoot();
      }
    }
  }

  private static List<HeldEntry> writes(
      StrandIndex strand, long height, BlockRow row, LogReader log, Check check)
      throws IOException, CorruptStreamException {
    try {
      BlockInfo block = log.block(strand, row);
      check.of(row, block);
      return BlockWrites.of(block, row.place());
    } catch (CorruptStreamException e) {
      throw e.within(
          String.format(
              Locale.ROOT,
              "journals %d to %d of block %d",
              row.firstJsn(),
              row.sealJsn() - 1,
              height));
    }
  }

  /// @throws CorruptStreamException if the state has another root than the block sealed
  static void checkSealed(StrandIndex strand, long height, ScratchForest state)
      throws IOException, CorruptStreamException {
    Digest sealed = strand.block(height).stateRoot();
    if (!state.root().digest().equals(sealed)) {
      throw new CorruptStreamException(
          "state of " + strand.strand(),
          height,
          String.format(
              Locale.ROOT,
              "operations make the root %s, block %d sealed %s",
              state.root(),
              height,
              sealed));
    }
  }
}

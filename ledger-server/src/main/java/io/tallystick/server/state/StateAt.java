package io.tallystick.server.state;

import io.tallystick.head.LastSeal;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.node.BlockView;
import io.tallystick.storage.forest.ForestReader;

/// The state as of a block, open for reading until it is closed, and what every proof of it begins
/// with.
///
/// @param root that the block sealed
record StateAt(
    BlockView view,
    LastSeal seal,
    StateRoot root,
    ForestReader reader,
    Values values,
    Runnable onClose)
    implements AutoCloseable {
  long height() {
    return view.height();
  }

  @Override
  public void close() {
    onClose.run();
  }
}

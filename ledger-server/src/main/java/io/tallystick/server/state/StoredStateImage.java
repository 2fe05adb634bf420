package io.tallystick.server.state;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.IndexImage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// The state that a purge's image has, which is that after the last block that it removes: states
/// before it are not known any more.
final class StoredStateImage implements IndexImage {
  private final long lastHeight;
  private final StateForest filled;

  /// @param purged height of the last block that the purge removes
  /// @param filling an empty state, which has the image's on return
  StoredStateImage(Disk disk, StrandId strand, long purged, StateForest filling)
      throws IOException, CorruptStreamException {
    this.lastHeight = purged;
    this.filled = filling;
    String image = StateImages.name(strand, purged, StateImages.STATE);
    StateImages.checkHeight(image, filling.load(disk, image), purged);
  }

  @Override
  public long lastHeight() {
    return lastHeight;
  }

  @Override
  public Digest apply(long height, BlockRow row, byte[] leafHashes) {
    return height < lastHeight ? row.stateRoot() : filled.version().root().digest();
  }

  @Override
  public void close() {}
}

package io.tallystick.server.clue;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.seal.IndexImage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;

/// Fills clues from the image of a purge.
final class StoredClueImage implements IndexImage {
  private final ClueImage.Reader image;
  private final long lastHeight;
  private final StrandClues filling;

  StoredClueImage(Disk disk, StrandId strand, long lastHeight, StrandClues filling)
      throws IOException, CorruptStreamException {
    this.image = new ClueImage.Reader(disk, strand, lastHeight);
    this.lastHeight = lastHeight;
    this.filling = filling;
  }

  @Override
  public long lastHeight() {
    return lastHeight;
  }

  @Override
  public Digest apply(long height, BlockRow row, byte[] leafHashes)
      throws IOException, CorruptStreamException {
    List<NamedClues> named = image.at(height);
    return named.isEmpty()
        ? filling.view().root()
        : filling.apply(row.firstJsn(), named, leafHashes);
  }

  @Override
  public void close() throws IOException {
    image.close();
  }
}

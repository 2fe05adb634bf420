package io.tallystick.server.seal;

import io.tallystick.model.Digest;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// The image that an index is filled from for blocks whose journals were purged.
public interface IndexImage extends AutoCloseable {
  /// The image of a log of which nothing was purged.
  IndexImage NONE =
      new IndexImage() {
        @Override
        public long lastHeight() {
          return -1;
        }

        @Override
        public Digest apply(long height, BlockRow row, byte[] leafHashes) {
          throw new IllegalStateException("no block was purged");
        }

        @Override
        public void close() {}
      };

  /// The last block that it has.
  long lastHeight();

  /// Adds a block. In ascending order.
  ///
  /// @param leafHashes of its journals, 32 bytes each, as the tree has them
  /// @return the root after it
  Digest apply(long height, BlockRow row, byte[] leafHashes)
      throws IOException, CorruptStreamException;

  @Override
  void close() throws IOException;
}

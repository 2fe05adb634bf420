package io.tallystick.server.seal;

import io.tallystick.model.Digest;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.frame.FramePlace;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// One strand's index under one feature, made from its journals; every seal holds its root. It
/// advances by whole blocks. One owner thread applies and saves; any thread may ask for {@link
/// #view}.
public interface BlockIndex {
  /// One version of an index, which never changes. Thread-safe.
  interface View {
    Digest root();
  }

  /// The version after the newest block applied.
  View view();

  /// Adds a block's journals. Called for blocks that {@link BlockIndexStore#isChangedBy change} the
  /// index, in order.
  ///
  /// @param place of the block's frame
  /// @param leafHashes of the block's journals, 32 bytes each
  /// @return the root after the block
  /// @throws CorruptStreamException if what is stored of the index is damaged; it is then {@link
  ///   BlockIndexStore#rebuild rebuilt}
  Digest apply(BlockInfo block, FramePlace place, byte[] leafHashes)
      throws IOException, CorruptStreamException;

  /// Adds everything a restore needs to `batch`.
  void savepoint(MetaBatch batch) throws IOException, CorruptStreamException;

  /// The batch of the last savepoint was written.
  void saved();
}

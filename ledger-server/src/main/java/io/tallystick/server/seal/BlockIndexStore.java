package io.tallystick.server.seal;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.Digest;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// All indexes of one feature in a shard, and what they share: memory, files, threads.
///
/// @param <I> one strand's
public interface BlockIndexStore<I extends BlockIndex> extends AutoCloseable {
  /// Opens a store as the last savepoint left it; a shard has one opener for each feature that it
  /// carries out.
  @FunctionalInterface
  interface Opener {
    /// @param arrays the shard's, which the store does not close
    BlockIndexStore<?> open(Disk disk, MetaStore meta, ArrayStore arrays, BatchHasher hasher)
        throws IOException, CorruptStreamException;
  }

  Feature feature();

  /// Whether a block changes the index of its strand. One that nothing changes is never opened.
  boolean isChangedBy(BlockInfo block) throws CorruptStreamException;

  /// The index of a strand.
  ///
  /// @throws CorruptStreamException also if its root is not `sealedRoot`, that of the newest block
  I open(StrandIndex strand, Digest sealedRoot) throws IOException, CorruptStreamException;

  /// Fills the index of a strand again from its sealed blocks. After each block it must have the
  /// root that the block was sealed with. For the owner.
  ///
  /// @param broken what is open of it, closed by this
  /// @param why what was found to be damaged; null if an operator asked for it
  /// @throws CorruptStreamException if the journals are damaged, or make another root
  I rebuild(
      StrandIndex strand,
      StoredBlocks blocks,
      @Nullable I broken,
      @Nullable CorruptStreamException why)
      throws IOException, CorruptStreamException;

  /// Whether what waits for a savepoint takes so much memory that one should be taken.
  boolean savepointDue();

  /// Whether a savepoint has something to do though no block came since the last.
  default boolean hasUpkeep() {
    return false;
  }

  /// Does a piece of what follows savepoints. For the owner, between them.
  ///
  /// @return whether there is more to be done at once
  default boolean upkeep() throws IOException {
    return false;
  }

  /// Whether a savepoint would write much that the next one writes again.
  boolean savepointIsCostly();

  /// After the savepoints of all its indexes.
  void savepoint(MetaBatch batch) throws IOException, CorruptStreamException;

  /// The batch of the last savepoint was written.
  void saved() throws IOException;

  /// Keeps what the last savepoint has in slots and in files that never change, until the result is
  /// run, by any thread. For the owner, when nothing waits for a savepoint.
  default Runnable keepSaved() {
    return () -> {};
  }

  /// Whether a file is none of the last savepoint's, but written for the next, or to be deleted.
  /// For the owner.
  default boolean isUnsaved(String file) {
    return false;
  }

  @Override
  void close() throws IOException;
}

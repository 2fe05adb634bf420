package io.tallystick.server.seal;

import io.tallystick.journal.Feature;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The place of one feature's index in a strand: opened when it is first needed, for most strands
/// never need it, and filled again when it is damaged. Any thread may open it; its owner rebuilds.
final class IndexSlot {
  private final BlockIndexStore store;
  private volatile @Nullable BlockIndex open;
  private volatile boolean rebuilding;
  private volatile long rebuilds;

  IndexSlot(BlockIndexStore store) {
    this.store = store;
  }

  Feature feature() {
    return store.feature();
  }

  boolean isChangedBy(BlockInfo block) throws CorruptStreamException {
    return store.isChangedBy(block);
  }

  @Nullable BlockIndex opened() {
    return open;
  }

  /// Rebuilds that were begun.
  long rebuilds() {
    return rebuilds;
  }

  boolean isRebuilding() {
    return rebuilding;
  }

  BlockIndex index(StrandIndex strand) throws IOException, CorruptStreamException {
    BlockIndex known = open;
    return known != null ? known : openOnce(strand);
  }

  private synchronized BlockIndex openOnce(StrandIndex strand)
      throws IOException, CorruptStreamException {
    if (rebuilding) {
      throw new CorruptStreamException(
          String.format(Locale.ROOT, "index %s of %s", feature(), strand.strand()),
          0,
          "it is being rebuilt");
    }
    if (open == null) {
      open = store.open(strand, strand.head().index(feature()).root());
    }
    return Objects.requireNonNull(open);
  }

  /// Readers are refused meanwhile, but what they ask of a view that they hold.
  BlockIndex rebuild(StrandIndex strand, StoredBlocks blocks, @Nullable CorruptStreamException why)
      throws IOException, CorruptStreamException {
    BlockIndex broken = beginRebuild();
    BlockIndex filled = null;
    try {
      filled = store.rebuild(strand, blocks, broken, why);
      return filled;
    } finally {
      endRebuild(filled);
    }
  }

  private synchronized @Nullable BlockIndex beginRebuild() {
    BlockIndex broken = open;
    open = null;
    rebuilding = true;
    rebuilds++;
    return broken;
  }

  private synchronized void endRebuild(@Nullable BlockIndex filled) {
    open = filled;
    rebuilding = false;
  }
}

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
///
/// @param <I> the index of the feature
final class IndexSlot<I extends BlockIndex> {
  private final BlockIndexStore<I> store;
  private volatile @Nullable I open;
  private volatile boolean rebuilding;
  private volatile long rebuilds;

  private IndexSlot(BlockIndexStore<I> store) {
    this.store = store;
  }

  static <I extends BlockIndex> IndexSlot<I> of(BlockIndexStore<I> store) {
    return new IndexSlot<>(store);
  }

  Feature feature() {
    return store.feature();
  }

  boolean isChangedBy(BlockInfo block) throws CorruptStreamException {
    return store.isChangedBy(block);
  }

  @Nullable I opened() {
    return open;
  }

  /// Rebuilds that were begun.
  long rebuilds() {
    return rebuilds;
  }

  boolean isRebuilding() {
    return rebuilding;
  }

  I index(StrandIndex strand) throws IOException, CorruptStreamException {
    I known = open;
    return known != null ? known : openOnce(strand);
  }

  private synchronized I openOnce(StrandIndex strand) throws IOException, CorruptStreamException {
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
  I rebuild(StrandIndex strand, StoredBlocks blocks, @Nullable CorruptStreamException why)
      throws IOException, CorruptStreamException {
    I broken = beginRebuild();
    I filled = null;
    try {
      filled = store.rebuild(strand, blocks, broken, why);
      return filled;
    } finally {
      endRebuild(filled);
    }
  }

  private synchronized @Nullable I beginRebuild() {
    I broken = open;
    open = null;
    rebuilding = true;
    rebuilds++;
    return broken;
  }

  private synchronized void endRebuild(@Nullable I filled) {
    open = filled;
    rebuilding = false;
  }
}

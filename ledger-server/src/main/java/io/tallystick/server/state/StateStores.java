package io.tallystick.server.state;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.BlockIndex;
import io.tallystick.server.seal.BlockIndexStore;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.storage.forest.ForestRows;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The states of a shard's strands. Trees are held in memory, and their nodes are rows of the meta
/// store.
public final class StateStores implements BlockIndexStore {
  private final MetaStore meta;
  private final Watch watch;
  private final IndexRebuild rebuild;

  /// Is told of rebuilds, on the owner's thread.
  public interface Watch {
    /// @param why the damage that was found; null if an operator asked for the rebuild
    void begins(StrandId strand, long leaves, @Nullable CorruptStreamException why);

    void isAt(StrandId strand, long leaves, long all);

    /// @param entries of all partitions
    void ended(StrandId strand, long entries);
  }

  private StateStores(MetaStore meta, BatchHasher hasher, Watch watch) {
    this.meta = meta;
    this.watch = watch;
    this.rebuild = new IndexRebuild(this, hasher);
  }

  public static Opener opener(Watch watch) {
    return (_, meta, _, hasher) -> new StateStores(meta, hasher, watch);
  }

  @Override
  public Feature feature() {
    return Feature.STATE_FOREST;
  }

  @Override
  public boolean isChangedBy(BlockInfo block) {
    return block.hasOperations();
  }

  private static StateParams params(StrandIndex strand) {
    return Objects.requireNonNull(
        strand.ledger().params().stateParams(), "the feature comes with its parameters");
  }

  @Override
  public StrandState open(StrandIndex strand, Digest sealedRoot)
      throws IOException, CorruptStreamException {
    ForestRows rows = new ForestRows(meta, strand.strand());
    StateForest forest = rows.restore(params(strand));
    Digest root = forest.version().root().digest();
    if (!root.equals(sealedRoot)) {
      throw new CorruptStreamException(
          "state of " + strand.strand(),
          forest.version().height(),
          "root is %s, the last block sealed %s".formatted(root, sealedRoot));
    }
    return new StrandState(forest, rows, true);
  }

  /// Until the next savepoint a restore finds the broken one again.
  @Override
  public StrandState rebuild(
      StrandIndex strand,
      StoredBlocks blocks,
      @Nullable BlockIndex broken,
      @Nullable CorruptStreamException why)
      throws IOException, CorruptStreamException {
    long size = strand.head().size();
    watch.begins(strand.strand(), size, why);
    ForestRows rows = new ForestRows(meta, strand.strand());
    StrandState filling = new StrandState(rows.startOver(params(strand)), rows, false);
    rebuild.fill(strand, blocks, filling, leaves -> watch.isAt(strand.strand(), leaves, size));
    watch.ended(strand.strand(), filling.entryCount());
    return filling;
  }

  /// All of it is in memory anyhow.
  @Override
  public boolean savepointDue() {
    return false;
  }

  @Override
  public boolean savepointIsCostly() {
    return false;
  }

  @Override
  public void savepoint(MetaBatch batch) {
    // Each state adds its own rows.
  }

  @Override
  public void close() {
    // Nothing is held but memory.
  }
}

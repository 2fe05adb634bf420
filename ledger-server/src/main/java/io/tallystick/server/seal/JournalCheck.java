package io.tallystick.server.seal;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.BlockRow;
import io.tallystick.server.saved.BlockTable;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.saved.StrandRow;
import io.tallystick.server.world.Purge;
import io.tallystick.server.world.RemovalRows;
import io.tallystick.storage.accumulator.Accumulator;
import io.tallystick.storage.accumulator.NodeCache;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamReader;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/// Holds the journals in the commit stream against the leaf hashes of the tree, before anything is
/// thrown away that could not be made again without them. One thread's.
public final class JournalCheck {
  private final StoredBlocks stored;
  private final LeafBuilder leaves;
  private final BatchHasher hasher;

  /// Hears how far a check has come.
  @FunctionalInterface
  public interface Progress {
    /// The journals up to so many leaves are those of the tree.
    void isChecked(StrandId strand, long leaves);
  }

  public JournalCheck(StreamReader stream, BatchHasher hasher) {
    this.stored = new StoredBlocks(stream);
    this.leaves = new LeafBuilder(hasher);
    this.hasher = hasher;
  }

  /// Checks a strand that is not open, up to the last savepoint.
  ///
  /// @throws CorruptStreamException if a block is damaged, or a journal is not the one in the tree
  public void check(ArrayStore arrays, MetaStore meta, StrandId strand, Progress progress)
      throws IOException, CorruptStreamException {
    Accumulator tree = Accumulator.restore(arrays, meta, strand, hasher, new NodeCache());
    StrandRow saved = SavedWorld.strand(meta, strand);
    long count = saved == null ? 0 : saved.blocks();
    BlockTable blocks = new BlockTable(arrays, strand, count);
    try {
      for (long height = purgedBlocks(meta, strand); height < count; height++) {
        BlockRow row = blocks.row(height);
        BlockInfo block = stored.block(strand, row);
        checkLeaves(tree, strand, row, leaves.leafHashes(block));
        progress.isChecked(strand, row.size());
      }
    } finally {
      blocks.rest();
      tree.close();
    }
  }

  /// How many blocks are gone, in whole or in part; what the images of purges say is checked when
  /// an index is filled.
  private static long purgedBlocks(MetaStore meta, StrandId strand)
      throws IOException, CorruptStreamException {
    Bytes row = meta.get(RemovalRows.purgesKey(strand.ledger()));
    try {
      List<Purge> purges = row == null ? List.of() : RemovalRows.decodePurges(row);
      return purges.isEmpty() ? 0 : purges.getLast().height() + 1;
    } catch (MalformedException e) {
      throw new CorruptStreamException(
          "purges row of " + strand, 0, String.valueOf(e.getMessage()));
    }
  }

  /// @param hashes of the journals of a block, as the stream has them
  public static void checkLeaves(Accumulator tree, StrandId strand, BlockRow row, byte[] hashes)
      throws IOException, CorruptStreamException {
    int count = hashes.length / Digest.BYTES;
    byte[] want = new byte[hashes.length];
    tree.leafHashes(row.firstJsn(), count, want, 0);
    for (int i = 0; i < count; i++) {
      Digest made = Digest.of(hashes, i * Digest.BYTES);
      Digest stored = Digest.of(want, i * Digest.BYTES);
      if (!made.equals(stored)) {
        throw StoredBlocks.corrupt(
            row,
            String.format(
                Locale.ROOT,
                "journal %d of %s has leaf hash %s, the tree says %s",
                row.firstJsn() + i,
                strand,
                made,
                stored));
      }
    }
  }
}

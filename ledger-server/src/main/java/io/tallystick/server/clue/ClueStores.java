package io.tallystick.server.clue;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.BlockIndexStore;
import io.tallystick.server.seal.IndexImage;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.clue.ClueBatch;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.clue.ClueMemory;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.storage.page.SlotStore;
import io.tallystick.storage.patricia.PatriciaStore;
import io.tallystick.storage.patricia.PatriciaTrie;
import io.tallystick.storage.patricia.TrieBatch;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The clues of all strands of a shard: what they share is memory, slots and workers.
public final class ClueStores implements BlockIndexStore<StrandClues> {
  /// More would wait for memory.
  private static final int WORKERS_MAX = 8;

  /// Nodes in memory, some 200 bytes each; 100,000 clues with their journals' newest state fit.
  private static final int NODES_MAX = 1 << 18;

  /// Bytes of unsaved heads, some 10,000 heads.
  private static final long COSTLY_BYTES = 4L << 20;

  /// Bytes of the list, and nodes of the trie, that a rebuild keeps in memory before it writes
  /// them.
  private static final long REBUILD_BYTES_MAX = 16L << 20;

  private static final int REBUILD_NODES_MAX = 1 << 17;

  private final Disk disk;
  private final MetaStore meta;
  private final ArrayStore arrays;
  private final ClueMemory memory;
  private final Workers workers;
  private final PatriciaStore tries;
  private final ClueBatch entries = new ClueBatch();
  private final TrieBatch batch = new TrieBatch(16);
  private final ClueRebuild rebuild;

  private ClueStores(
      Disk disk,
      MetaStore meta,
      ArrayStore arrays,
      ClueMemory memory,
      Workers workers,
      PatriciaStore tries,
      BatchHasher hasher,
      IndexRebuild.Watch watch) {
    this.disk = disk;
    this.meta = meta;
    this.arrays = arrays;
    this.memory = memory;
    this.workers = workers;
    this.tries = tries;
    this.rebuild = new ClueRebuild(this, hasher, watch);
  }

  /// @param watch hears of rebuilds
  public static Opener opener(IndexRebuild.Watch watch) {
    return (disk, meta, arrays, hasher) -> restore(disk, meta, arrays, hasher, watch);
  }

  /// Opens them as the last savepoint left them.
  ///
  /// @param hasher hashes the levels of the tries
  private static ClueStores restore(
      Disk disk, MetaStore meta, ArrayStore arrays, BatchHasher hasher, IndexRebuild.Watch watch)
      throws IOException, CorruptStreamException {
    int cores = Math.min(WORKERS_MAX, Runtime.getRuntime().availableProcessors());
    Workers workers = new Workers(cores, "clues");
    try {
      PatriciaStore tries =
          PatriciaStore.restore(disk, meta, workers, hasher, SlotLimits.DEFAULT, NODES_MAX);
      ClueMemory memory = new ClueMemory(ClueMemory.DEFAULT_BYTES);
      return new ClueStores(disk, meta, arrays, memory, workers, tries, hasher, watch);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      workers.close();
      throw e;
    }
  }

  @Override
  public Feature feature() {
    return Feature.CLUE_TRIE;
  }

  @Override
  public boolean isChangedBy(BlockInfo block) throws CorruptStreamException {
    return NamedClues.anyIn(block);
  }

  @Override
  public StrandClues rebuild(
      StrandIndex strand,
      StoredBlocks blocks,
      @Nullable StrandClues broken,
      @Nullable CorruptStreamException why)
      throws IOException, CorruptStreamException {
    return rebuild.run(strand, blocks, broken, why);
  }

  /// The clues of a strand, whose trie must have the root that the last block sealed.
  @Override
  public StrandClues open(StrandIndex of, Digest sealedRoot)
      throws IOException, CorruptStreamException {
    StrandId strand = of.strand();
    ClueIndex index = ClueIndex.restore(arrays, meta, strand, memory, workers);
    boolean done = false;
    try {
      PatriciaTrie trie = tries.trie(strand);
      if (!trie.view().root().equals(sealedRoot)) {
        throw new CorruptStreamException(
            "clue trie of " + strand,
            0,
            String.format(
                Locale.ROOT,
                "root is %s, the last block sealed %s",
                trie.view().root(),
                sealedRoot));
      }
      done = true;
      return new StrandClues(index, trie, entries, batch);
    } finally {
      if (!done) {
        index.close();
      }
    }
  }

  /// Empty clues that replace a strand's, for a rebuild. Until they are {@link #publish published}
  /// and saved, a restore finds none. For the owner.
  ///
  /// @param broken what is open of them, closed by this
  StrandClues startOver(StrandId strand, @Nullable StrandClues broken)
      throws IOException, CorruptStreamException {
    if (broken != null) {
      broken.close();
    }
    ClueIndex index = ClueIndex.startOver(arrays, meta, strand, memory, workers);
    return new StrandClues(index, tries.startOver(strand), entries, batch);
  }

  /// The image that the clues of purged blocks are filled from.
  ///
  /// @throws CorruptStreamException if a purge's image is missing or damaged
  IndexImage image(StrandIndex strand, StrandClues filling)
      throws IOException, CorruptStreamException {
    Optional<Purge> purge = strand.head().governance().removals().lastPurge();
    Long first = strand.head().governance().features().firstHeights().get(Feature.CLUE_TRIE);
    return purge.isEmpty() || first == null || first > purge.get().height()
        ? IndexImage.NONE
        : new StoredClueImage(disk, strand.strand(), purge.get().height(), filling);
  }

  /// Frees memory if the clues of a rebuild take much.
  void relieve(StrandClues filling) throws IOException, CorruptStreamException {
    if (filling.index().unsavedBytes() > REBUILD_BYTES_MAX) {
      MetaBatch rows = new MetaBatch();
      filling.index().savepoint(rows);
      meta.write(rows);
      filling.index().saved();
    }
    if (filling.trie().unspilledNodes() > REBUILD_NODES_MAX) {
      filling.trie().spill();
    }
  }

  /// Publishes rebuilt clues: readers may use them, and the next savepoint holds them.
  ///
  /// @param sealedRoot that the trie of before should have had
  /// @return see {@link PatriciaStore#publish}
  long publish(StrandClues filled, Digest sealedRoot) throws IOException {
    filled.index().rebuilt();
    return tries.publish(filled.trie(), sealedRoot);
  }

  /// Makes the clues of closed strands unreadable until they are rebuilt, and the slots of all
  /// tries free; before they are {@link #opener opened}. Those of other strands must not be in use.
  public static void discard(Disk disk, MetaStore meta, List<StrandId> all) throws IOException {
    MetaBatch rows = new MetaBatch();
    all.forEach(strand -> ClueIndex.discard(strand, rows));
    PatriciaStore.erase(meta, rows);
    meta.write(rows);
    PatriciaStore.deleteFiles(disk);
  }

  @Override
  public boolean savepointDue() {
    return memory.savepointDue() || tries.unsavedNodes() > NODES_MAX;
  }

  /// Whether heads of many clues wait for a savepoint, each a row, and so a node or two.
  @Override
  public boolean savepointIsCostly() {
    return memory.unsavedBytes() > COSTLY_BYTES;
  }

  @Override
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    tries.savepoint(batch);
  }

  @Override
  public void saved() {
    // Nothing waits for it.
  }

  @Override
  public Runnable keepSaved() {
    SlotStore slots = tries.slots();
    long version = slots.version();
    if (!slots.pin(version)) {
      throw new AssertionError("the newest version cannot be pinned");
    }
    return () -> slots.unpin(version);
  }

  @Override
  public void close() throws IOException {
    try (workers;
        tries) {
      // Closed in the opposite order; each even if the other fails.
    }
  }
}

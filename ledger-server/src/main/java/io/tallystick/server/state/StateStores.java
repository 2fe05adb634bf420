package io.tallystick.server.state;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.Feature;
import io.tallystick.journal.StateParams;
import io.tallystick.model.Digest;
import io.tallystick.server.frame.BlockInfo;
import io.tallystick.server.saved.StoredBlocks;
import io.tallystick.server.seal.BlockIndexStore;
import io.tallystick.server.seal.IndexImage;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.server.seal.StrandIndex;
import io.tallystick.server.world.Purge;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.storage.forest.ForestStore;
import io.tallystick.storage.forest.StateForest;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.page.SlotStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The states of all strands of a shard: what they share is memory, slots and workers.
public final class StateStores implements BlockIndexStore<StrandState> {
  private static final Logger LOG = LoggerFactory.getLogger(StateStores.class);

  /// More would wait for memory.
  private static final int WORKERS_MAX = 8;

  /// Bytes of unsaved nodes: a savepoint writes each of them whole.
  private static final long COSTLY_BYTES = 4L << 20;

  /// Bytes that a rebuild keeps in memory before it writes them.
  private static final long REBUILD_BYTES_MAX = 16L << 20;

  private final Disk disk;
  private final ForestStore forests;
  private final Workers workers;
  private final IndexRebuild.Watch watch;
  private final IndexRebuild rebuild;
  private final LongConsumer onDropped;
  private boolean toldOfRoom;
  private List<String> undeleted = List.of();
  private Set<String> uncopied = Set.of();

  private StateStores(
      Disk disk,
      ForestStore forests,
      Workers workers,
      BatchHasher hasher,
      IndexRebuild.Watch watch,
      LongConsumer onDropped) {
    this.onDropped = onDropped;
    this.disk = disk;
    this.forests = forests;
    this.workers = workers;
    this.watch = watch;
    this.rebuild = new IndexRebuild(this, hasher);
  }

  /// @param onDropped told how many older versions were dropped because the disk has too little
  ///   room
  public static Opener opener(
      IndexRebuild.Watch watch, ForestLimits limits, LongConsumer onDropped) {
    return (disk, meta, _, hasher) -> restore(disk, meta, hasher, watch, limits, onDropped);
  }

  /// Opens them as the last savepoint left them.
  private static StateStores restore(
      Disk disk,
      MetaStore meta,
      BatchHasher hasher,
      IndexRebuild.Watch watch,
      ForestLimits limits,
      LongConsumer onDropped)
      throws IOException, CorruptStreamException {
    int cores = Math.min(WORKERS_MAX, Runtime.getRuntime().availableProcessors());
    Workers workers = new Workers(cores, "state");
    try {
      ForestStore forests = ForestStore.restore(disk, meta, workers, hasher, limits);
      return new StateStores(disk, forests, workers, hasher, watch, onDropped);
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      workers.close();
      throw e;
    }
  }

  @Override
  public Feature feature() {
    return Feature.STATE_FOREST;
  }

  @Override
  public boolean isChangedBy(BlockInfo block) {
    return block.hasOperations();
  }

  static StateParams params(StrandIndex strand) {
    return Objects.requireNonNull(
        strand.ledger().params().stateParams(), "the feature comes with its parameters");
  }

  /// A strand asks for it before its first block of this run: the state is the saved one still.
  @Override
  public StrandState open(StrandIndex strand, Digest sealedRoot)
      throws IOException, CorruptStreamException {
    StateForest forest = forests.forest(strand.strand(), params(strand));
    Digest root = forest.version().root().digest();
    if (!root.equals(sealedRoot)) {
      throw new CorruptStreamException(
          "state of " + strand.strand(),
          forest.version().height(),
          String.format(Locale.ROOT, "root is %s, the last block sealed %s", root, sealedRoot));
    }
    return new StrandState(forest);
  }

  /// Until the next savepoint a restore finds the broken one again.
  @Override
  public StrandState rebuild(
      StrandIndex strand,
      StoredBlocks blocks,
      @Nullable StrandState broken,
      @Nullable CorruptStreamException why)
      throws IOException, CorruptStreamException {
    if (broken != null && why != null) {
      StrandState repaired = rolledBack(strand, blocks, broken.forest(), why);
      if (repaired != null) {
        return repaired;
      }
    }
    long size = strand.head().size();
    watch.begins(strand.strand(), size, why);
    List<Long> heights = forests.savedHeights(strand.strand());
    Set<Long> wanted = new HashSet<>(heights);
    StateForest forest = forests.startOver(strand.strand(), params(strand));
    if (!heights.isEmpty() && heights.getFirst() > 0) {
      forest.startsLater();
    }
    StrandState filling = new StrandState(forest);
    rebuild.fill(
        strand,
        blocks,
        filling,
        image(strand, forest),
        leaves -> {
          keepOrSpill(forest, wanted);
          watch.isAt(strand.strand(), leaves, size);
        });
    if (!wanted.isEmpty()) {
      LOG.warn(
          "state of {}: the saved versions of blocks {} are not made again: their journals are"
              + " purged",
          strand.strand(),
          new TreeSet<>(wanted));
    }
    long lostNodes = forests.publish(forest, strand.head().index(feature()).root());
    long entries = forest.version().entryCount();
    watch.ended(
        strand.strand(),
        new IndexRebuild.Rebuilt(strand.head().blocks(), size, 0, entries, lostNodes));
    return filling;
  }

  /// The newest saved version that is older than the damage, brought up to the newest block. Damage
  /// that it meets on the way leads to an older one.
  ///
  /// @return null if there is none
  private @Nullable StrandState rolledBack(
      StrandIndex strand, StoredBlocks blocks, StateForest damaged, CorruptStreamException why)
      throws IOException, CorruptStreamException {
    CorruptStreamException damage = why;
    long below = Long.MAX_VALUE;
    while (true) {
      OptionalLong height = damaged.olderThan(damage.file(), damage.offset());
      if (height.isEmpty() || height.getAsLong() >= below) {
        return null;
      }
      below = height.getAsLong();
      Optional<StateForest> filling = forests.rollBack(damaged, below);
      if (filling.isEmpty()) {
        return null;
      }
      watch.rollsBack(strand.strand(), below, damage);
      try {
        return filled(strand, blocks, damaged, filling.get(), below);
      } catch (CorruptStreamException further) {
        filling.get().discard(below);
        damage = further;
      }
    }
  }

  private StrandState filled(
      StrandIndex strand,
      StoredBlocks blocks,
      StateForest damaged,
      StateForest filling,
      long height)
      throws IOException, CorruptStreamException {
    Set<Long> wanted = new HashSet<>(damaged.savedHeights());
    StrandState state = new StrandState(filling);
    rebuild.fillAbove(strand, blocks, state, height, _ -> keepOrSpill(filling, wanted));
    forests.publishRolledBack(filling, damaged, height);
    watch.rolledBack(strand.strand());
    return state;
  }

  private static void keepOrSpill(StateForest filling, Set<Long> wanted)
      throws IOException, CorruptStreamException {
    if (wanted.remove(filling.version().height())) {
      filling.keepVersion();
    }
    if (filling.unsavedBytes() > REBUILD_BYTES_MAX) {
      filling.spill();
    }
  }

  /// The state that the last purge left, loaded into an empty one.
  private IndexImage image(StrandIndex strand, StateForest filling)
      throws IOException, CorruptStreamException {
    Optional<Purge> purge = strand.head().governance().removals().lastPurge();
    return purge.isEmpty()
        ? IndexImage.NONE
        : new StoredStateImage(disk, strand.strand(), purge.get().height(), filling);
  }

  /// Makes all states unreadable until they are rebuilt, and their slots and files free; before
  /// they are {@link #opener opened}.
  public static void discard(Disk disk, MetaStore meta) throws IOException {
    MetaBatch rows = new MetaBatch();
    ForestStore.erase(meta, rows);
    meta.write(rows);
    ForestStore.deleteFiles(disk);
  }

  @Override
  public boolean savepointDue() {
    return forests.savepointDue();
  }

  @Override
  public boolean hasUpkeep() {
    return forests.isPruningDue();
  }

  @Override
  public boolean upkeep() throws IOException {
    return forests.clearSome();
  }

  @Override
  public boolean savepointIsCostly() {
    return forests.unsavedBytes() > COSTLY_BYTES;
  }

  @Override
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    forests.savepoint(batch);
  }

  @Override
  public void saved() throws IOException {
    List<String> left = forests.saved();
    if (!left.isEmpty() && !left.equals(undeleted)) {
      LOG.warn("files of states that nobody needs cannot be deleted, and take room: {}", left);
    }
    undeleted = left;
    tellOfRoom(forests.takeDroppedForRoom());
    warnOfFailedCopies(forests.failedCopies());
  }

  /// Once, until a savepoint keeps older versions again.
  private void tellOfRoom(long dropped) {
    if (dropped > 0) {
      onDropped.accept(dropped);
      if (!toldOfRoom) {
        LOG.warn("the disk has too little room: older versions of states are dropped");
      }
    }
    toldOfRoom = dropped > 0;
  }

  /// Once for each partition, until its copy succeeds.
  private void warnOfFailedCopies(SortedMap<String, Exception> failed) {
    failed.forEach((partition, why) -> {
      if (!uncopied.contains(partition)) {
        LOG.warn("{} cannot be moved to a file and stays in slots for now", partition, why);
      }
    });
    uncopied = Set.copyOf(failed.keySet());
  }

  @Override
  public Runnable keepSaved() {
    SlotStore slots = forests.slots();
    long version = slots.version();
    if (!slots.pin(version)) {
      throw new AssertionError("the newest version cannot be pinned");
    }
    return () -> slots.unpin(version);
  }

  @Override
  public boolean isUnsaved(String file) {
    return forests.isUnsaved(file);
  }

  @Override
  public void close() throws IOException {
    try (workers;
        forests) {
      // Closed in the opposite order; each even if the other fails.
    }
  }
}

package io.tallystick.storage.forest;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.page.SlotLimits;
import io.tallystick.storage.page.SlotSizes;
import io.tallystick.storage.page.SlotStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The states of one shard: one set of slot files, the workers that update them, and the memory
/// that their nodes may take. An idle state costs its partitions' roots. One owner thread applies
/// and saves; any thread reads.
public final class ForestStore implements AutoCloseable {
  /// The folder that all files are in.
  public static final String FOLDER = "forest";

  /// The name of the folder, and of the rows of the slots.
  static final String NAME = FOLDER;

  /// The memory that an older version takes beside its nodes, about.
  private static final int VERSION_BYTES = 512;

  /// Bytes that are cleared at once.
  private static final long CLEARED_BYTES = 1 << 20;

  private final Disk disk;
  private final MetaStore meta;
  private final SlotStore slots;
  private final SlotPages slotPages;
  private final PageCache cache;
  private final UpdateWorkers workers;
  private final ForestLimits limits;
  private final Map<StrandId, StateForest> forests = new ConcurrentHashMap<>();

  /// Older versions in memory, in the order in which they were replaced. Guards what is kept.
  private final Map<ForestVersion, RecentVersions> older = new LinkedHashMap<>();

  private final List<Written> written = new ArrayList<>();

  /// Files that no version has; the newer ones are in a savepoint that is not durable yet.
  private final DroppedFiles droppedFiles;

  /// States whose rows are in the batch of the savepoint.
  private final List<StateForest> savedRows = new ArrayList<>();

  private final Pruning pruning = new Pruning();
  private final Deletions deletions;

  private final AtomicLong sources = new AtomicLong();
  private final Object opening = new Object();
  private long droppedForRoom;
  private boolean failed;
  private boolean unsaved;
  private boolean operationsDue;
  private long unsavedBytes;
  private long replacedBytes;

  /// A node that has an address, and the page to be read there.
  private record Written(NodeRef ref, ForestPage page) {}

  private ForestStore(
      Disk disk,
      MetaStore meta,
      SlotStore slots,
      SlotPages slotPages,
      Workers workers,
      BatchHasher hasher,
      ForestLimits limits) {
    this.disk = disk;
    this.meta = meta;
    this.slots = slots;
    this.slotPages = slotPages;
    this.cache = new PageCache(limits.cacheBytes());
    this.workers = new UpdateWorkers(workers, hasher);
    this.limits = limits;
    this.deletions = new Deletions(disk);
    this.droppedFiles = new DroppedFiles(deletions);
  }

  /// Opens the states as the last savepoint left them.
  ///
  /// @param workers not closed by this store, and used by nobody else at the same time
  /// @param hasher hashes the levels of an update
  public static ForestStore restore(
      Disk disk, MetaStore meta, Workers workers, BatchHasher hasher, ForestLimits limits)
      throws IOException, CorruptStreamException {
    SlotStore slots = SlotStore.restore(disk, meta, NAME, SlotSizes.STATE, SlotLimits.DEFAULT);
    return new ForestStore(disk, meta, slots, new SlotPages(slots), workers, hasher, limits);
  }

  /// An empty store beside another, whose pages it reads as well.
  static ForestStore beside(
      ForestStore base,
      Disk disk,
      MetaStore meta,
      Workers workers,
      BatchHasher hasher,
      ForestLimits limits)
      throws IOException, CorruptStreamException {
    SlotStore slots = SlotStore.restore(disk, meta, NAME, SlotSizes.STATE, SlotLimits.DEFAULT);
    SlotPages pages = new SlotPages(slots, base.slotPages);
    return new ForestStore(disk, meta, slots, pages, workers, hasher, limits);
  }

  /// The state of a strand, opened once. Whoever opens it compares its root with the one that was
  /// sealed.
  ///
  /// @throws CorruptStreamException if its row cannot be read
  public StateForest forest(StrandId strand, StateParams params)
      throws IOException, CorruptStreamException {
    StateForest open = forests.get(strand);
    if (open != null) {
      return open;
    }
    synchronized (opening) {
      StateForest raced = forests.get(strand);
      if (raced != null) {
        return raced;
      }
      StateForest forest =
          StateForest.saved(this, strand, params, meta.get(ForestHead.key(strand)));
      forests.put(strand, forest);
      return forest;
    }
  }

  /// Whether a file in the folder is that of a closed partition: it never changes, and is read
  /// seldom.
  public static boolean isPartition(String name) {
    return name.endsWith(PartFormat.SUFFIX);
  }

  /// Tells the addresses of one more file from those of others.
  long nextSource() {
    return sources.incrementAndGet();
  }

  /// An empty state, to be rebuilt from the journals beside the one that a strand has.
  public StateForest startOver(StrandId strand, StateParams params) throws IOException {
    return StateForest.unpublished(this, strand, params);
  }

  /// Replaces the strand's state by a rebuilt one and gives up the slots of the old one. The next
  /// savepoint holds it. For the owner.
  ///
  /// @param oldRoot what the strand's state should have had as its root
  /// @return damaged nodes of the old state; the slots of what lies below them stay taken until all
  ///   states are filled again ({@link #erase}). All of them, when the old state's row is damaged,
  ///   or leads to another root, whose slots may be another state's: -1
  public long publish(StateForest forest, Digest oldRoot)
      throws IOException, CorruptStreamException {
    @Nullable StateForest old;
    try {
      old = forest(forest.strand(), forest.params());
    } catch (CorruptStreamException _) {
      old = null;
    }
    Digest root = old == null ? Digest.ZERO : old.version().root().digest();
    boolean known = root.equals(oldRoot) || root.equals(StateRoot.EMPTY.digest());
    @Nullable GivenUp givenUp = old != null && known ? old.inSlots() : null;
    begin();
    forests.put(forest.strand(), forest);
    forest.publish(ForestHead.rows(meta, forest.strand()), old);
    if (old != null) {
      old.abandon(givenUp);
    }
    end();
    return givenUp == null ? -1 : givenUp.lost();
  }

  /// The state of a strand as of an older saved version, to be filled again from there beside the
  /// one that it has.
  ///
  /// @param height of the version
  /// @return empty if it is saved no more
  public Optional<StateForest> rollBack(StateForest damaged, long height)
      throws IOException, CorruptStreamException {
    return Optional.ofNullable(damaged.rolledBack(height));
  }

  /// Replaces a state by one that was {@link #rollBack rolled back} and filled again. The next
  /// savepoint holds it, and gives up what only the versions above had. For the owner.
  ///
  /// @param height of the version that it was rolled back to
  /// @throws CorruptStreamException if a row cannot be read; nothing is replaced then
  public void publishRolledBack(StateForest forest, StateForest damaged, long height)
      throws IOException, CorruptStreamException {
    Retirement going = damaged.retirement(height);
    begin();
    forests.put(forest.strand(), forest);
    forest.publish(going.rows(), damaged);
    damaged.retire(going);
    end();
  }

  /// Whether a row of the meta store is of a state, or of the slots of any store, and is made again
  /// with them. Lists of saved versions and limits of them are not: they say what is to be made.
  public static boolean isRow(Bytes key) {
    return SlotStore.isRow(key) || (ForestHead.isRow(key) && !SavedKeys.outlivesState(key));
  }

  /// The heights of the versions that the last savepoint kept of a state, which may not be there
  /// any more, ascending; none if they are not known.
  public List<Long> savedHeights(StrandId strand) throws IOException {
    return SavedList.heights(meta, strand);
  }

  /// Makes a store that is not open empty with `batch`, whatever it holds: all its states are
  /// filled again. {@link #deleteFiles} follows when the batch is written.
  public static void erase(MetaStore meta, MetaBatch batch) throws IOException {
    SlotStore.erase(meta, NAME, batch);
    meta.scan(
        ForestHead.ALL,
        null,
        (key, _) -> {
          if (!SavedKeys.outlivesState(key)) {
            batch.delete(key);
          }
          return true;
        });
  }

  /// Deletes the files of a store that was {@link #erase erased}.
  public static void deleteFiles(Disk disk) throws IOException {
    SlotStore.deleteFiles(disk, NAME, SlotSizes.STATE);
    for (String strand : disk.list(NAME)) {
      for (String file : disk.list(NAME + "/" + strand)) {
        disk.delete(NAME + "/" + strand + "/" + file);
      }
    }
  }

  /// Bytes of the slot files, and those of them that the newest version uses. For the owner.
  public SlotStore slots() {
    return slots;
  }

  Disk disk() {
    return disk;
  }

  MetaStore meta() {
    return meta;
  }

  Deletions deletions() {
    return deletions;
  }

  SlotPages slotPages() {
    return slotPages;
  }

  PageCache cache() {
    return cache;
  }

  UpdateWorkers workers() {
    return workers;
  }

  ForestLimits limits() {
    return limits;
  }

  /// Bytes of nodes that wait for a savepoint. For the owner.
  public long unsavedBytes() {
    return unsavedBytes;
  }

  /// Bytes of memory for nodes that only older versions have, about. Any thread.
  public long replacedBytes() {
    synchronized (older) {
      return replacedBytes;
    }
  }

  /// Held by whoever keeps a version or drops one.
  Object keeping() {
    return older;
  }

  /// Whether so much waits that the owner should take a savepoint.
  public boolean savepointDue() {
    return unsavedBytes >= limits.unsavedBytesMax() || operationsDue || isPruningDue();
  }

  /// Whether a savepoint has versions to drop, though nothing else may have changed. Any thread.
  public boolean isPruningDue() {
    return pruning.isDue();
  }

  /// The next savepoint drops versions of a state. Any thread.
  void prunes(StateForest forest) {
    pruning.ask(forest);
  }

  boolean hasRoomForVersions() throws IOException {
    return disk.freeBytes() >= limits.saved().freeBytesMin();
  }

  /// A savepoint drops all older versions of a state, because the disk has too little room.
  void droppedForRoom(StateForest forest, int versions) {
    droppedForRoom += versions;
    pruning.drops(forest, slots.version() + 1);
  }

  /// Versions that were dropped since this was last asked for, because the disk had too little
  /// room. For the owner.
  public long takeDroppedForRoom() {
    long taken = droppedForRoom;
    droppedForRoom = 0;
    return taken;
  }

  /// Whether it still will, or has, and what it gave up is not cleared yet. Any thread.
  boolean isPruning(StateForest forest) {
    return pruning.isFor(forest);
  }

  /// Makes zeros of what savepoints that dropped versions gave up, some of it, and gives the room
  /// back to the file system. For the owner, from time to time.
  ///
  /// @return whether more of it may be done at once
  public boolean clearSome() throws IOException {
    long prunedAt = pruning.savepoint();
    if (!pruning.hasDropped() || slots.version() < prunedAt) {
      return false;
    }
    slots.saved();
    droppedFiles.delete(slots.oldestRead());
    boolean filesAreGone = droppedFiles.areGone(prunedAt) && deletions.failed().isEmpty();
    if (!filesAreGone || !slots.isFree(prunedAt)) {
      return false; // somebody reads them
    }
    begin();
    boolean all = slots.clearFree(CLEARED_BYTES) < CLEARED_BYTES;
    end();
    if (all) {
      pruning.areCleared();
    }
    return !all;
  }

  /// @param bytes that wait for a savepoint, more or fewer than before
  void changed(long bytes) {
    unsaved = true;
    unsavedBytes += bytes;
  }

  /// A version has become an older one: it is kept, unless older ones take too much memory.
  void replaced(RecentVersions of, ForestVersion version) {
    synchronized (older) {
      older.put(version, of);
      replacedBytes += version.replacedBytes() + VERSION_BYTES;
      // The newest head that readers have may still be that of the version just replaced.
      while (replacedBytes > limits.replacedBytesMax() && older.size() > 1) {
        dropOldest();
      }
    }
  }

  /// So many operations may have been carried out that a savepoint is due.
  void operationsDue(StateForest forest) {
    operationsDue |= forest.savepointDue();
  }

  private void dropOldest() {
    Map.Entry<ForestVersion, RecentVersions> oldest = older.entrySet().iterator().next();
    oldest.getValue().drop(oldest.getKey());
  }

  /// A version is kept no more.
  void dropped(ForestVersion version) {
    synchronized (older) {
      if (older.remove(version) != null) {
        replacedBytes -= version.replacedBytes() + VERSION_BYTES;
      }
    }
  }

  /// A node was written to its slot, which cannot be read before it is flushed.
  void written(NodeRef ref, ForestPage page) {
    written.add(new Written(ref, page));
  }

  /// What was written can be read from now on.
  void forgetWritten() {
    for (Written one : written) {
      cache.put(slotPages, one.ref.address(), one.page);
      one.ref.forget();
    }
    written.clear();
  }

  /// Forces what the states saved to this batch and puts into it what a restore needs. For the
  /// owner, after {@link StateForest#savepoint} of each state that changed.
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    for (StateForest forest : pruning.begin(slots.version() + 1)) {
      forest.savepoint(batch);
    }
    begin();
    if (unsaved) {
      slots.savepoint(batch, meta);
      forgetWritten();
      unsaved = unsavedBytes > 0;
      operationsDue = false;
    }
    end();
  }

  /// A state has put its rows into the batch.
  void savedRows(StateForest forest) {
    unsaved = true;
    savedRows.add(forest);
  }

  /// No version has a file any more. It is deleted once the next savepoint is durable, and nobody
  /// reads it.
  void dropFile(String name, @Nullable PartFile file) {
    droppedFiles.add(name, file, slots.version() + 1);
  }

  /// The batch of the last savepoint is durable: slots and files that nobody needs go. For the
  /// owner.
  ///
  /// @return files that could not be deleted, which is tried again at the next savepoint
  public List<String> saved() throws IOException {
    slots.saved();
    savedRows.forEach(StateForest::batchWritten);
    savedRows.clear();
    deletions.again();
    droppedFiles.delete(slots.oldestRead());
    return deletions.failed();
  }

  /// Whether a file is none of the last savepoint's, but written for the next or to be deleted. For
  /// the owner.
  public boolean isUnsaved(String file) {
    return deletions.isToDelete(file)
        || forests.values().stream().anyMatch(forest -> forest.isBeingWritten(file));
  }

  /// Closed partitions that stay in slots because their copies to files failed, each with the
  /// reason; tried again after each savepoint. For the owner.
  public SortedMap<String, Exception> failedCopies() {
    SortedMap<String, Exception> all = new TreeMap<>();
    for (StateForest forest : forests.values()) {
      forest
          .failedCopies()
          .forEach((number, why) -> all.put("partition " + number + " of " + forest.strand(), why));
    }
    return all;
  }

  /// Part of a change: if it does not come to its {@link #end}, nothing more is changed or saved.
  void begin() {
    checkUsable();
    failed = true;
  }

  void end() {
    failed = false;
  }

  void checkUsable() {
    if (failed) {
      throw new IllegalStateException("a change of the states has failed");
    }
  }

  @Override
  public void close() throws IOException {
    for (StateForest forest : forests.values()) {
      forest.close();
    }
    droppedFiles.close();
    slots.close();
  }
}

package io.tallystick.storage.forest;

import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.TreeUpdate.Grown;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// The state forest of one strand, advanced by whole blocks, all of a block or nothing. Nodes are
/// never changed: a block makes those on the way to its keys anew and shares the others with the
/// versions before.
///
/// One owner thread applies and saves. Any thread reads a {@link ForestVersion}. Source: ViDB
/// sections 3 and 4; `docs/formats/forest.md`.
public final class StateForest {
  private final ForestStore store;
  private final StrandId strand;
  private final StateParams params;
  private final TreeUpdate update;
  private final Closing closing;
  private final NavigableMap<Long, ForestVersion> kept = new ConcurrentSkipListMap<>();
  private volatile ForestVersion newest;
  private long unsavedBytes;
  private boolean unsaved;
  private volatile boolean abandoned;
  private boolean unpublished; // being filled again: no savepoint and no reader has its nodes

  StateForest(ForestStore store, StrandId strand, StateParams params, ForestVersion newest) {
    this.store = store;
    this.strand = strand;
    this.params = params;
    this.newest = newest;
    this.update =
        new TreeUpdate(params, store.slotPages(), store.cache(), store.workers(), store.hasher());
    this.closing =
        new Closing(
            store.cache(),
            store.disk(),
            store.deletions(),
            strand,
            store.limits().fileEntriesMin());
    kept.put(newest.height(), newest);
  }

  /// An empty state for a rebuild, which readers do not see yet.
  static StateForest unpublished(ForestStore store, StrandId strand, StateParams params) {
    StateForest forest = new StateForest(store, strand, params, ForestVersion.empty(store));
    forest.unpublished = true;
    forest.unsaved = true;
    return forest;
  }

  StrandId strand() {
    return strand;
  }

  StateParams params() {
    return params;
  }

  /// The newest version.
  public ForestVersion version() {
    return newest;
  }

  /// The answer to a question for a version.
  public sealed interface At {
    /// @param version the state as of the height
    record Kept(ForestVersion version) implements At {}

    /// @param oldestHeight from which on versions are kept
    record Pruned(long oldestHeight) implements At {}

    /// A rebuilt state has taken the place of this one, and is to be asked.
    record Replaced() implements At {}
  }

  /// The state as of a block, from 0. Any thread.
  public At versionAt(long height) {
    Map.Entry<Long, ForestVersion> entry = kept.floorEntry(height);
    while (entry == null) {
      if (abandoned) {
        return new At.Replaced();
      }
      Map.Entry<Long, ForestVersion> oldest = kept.firstEntry();
      if (oldest != null && oldest.getKey() > height) {
        return new At.Pruned(oldest.getKey());
      }
      entry = kept.floorEntry(height); // a newer state was published meanwhile
    }
    return new At.Kept(entry.getValue());
  }

  /// Applies the operations of a block whose preconditions hold. For the owner.
  ///
  /// @param height above those before
  /// @param writes in order; of those on one key the last one counts
  /// @throws CorruptStreamException if a node on the way is damaged; the state is then as before
  public ForestVersion apply(long height, List<HeldEntry> writes)
      throws IOException, CorruptStreamException {
    store.checkUsable();
    if (writes.isEmpty()) {
      return newest;
    }
    NavigableMap<Bytes, HeldEntry> added = new TreeMap<>();
    writes.forEach(held -> added.put(held.key(), held));
    if (!unpublished) {
      closing.advance(newest, added.size());
    }
    FoldStep fold = new FoldStep(newest, store.cache());
    fold.run(added);
    fold.carried().forEach(held -> added.put(held.key(), held));
    EntryBatch batch = EntryBatch.of(List.copyOf(added.values()));
    ForestPartition open = fold.open();
    Grown grown = update.apply(open == null ? null : open.root(), batch);
    store.begin();
    for (ForestPartition partition : fold.emptied()) {
      giveUp(partition, grown.givenUp());
    }
    take(next(height, fold, open, grown.root()), grown);
    store.end();
    return newest;
  }

  private ForestVersion next(
      long height, FoldStep fold, @Nullable ForestPartition open, NodeRef root) {
    long nextNumber = newest.nextNumber();
    long number = open == null ? nextNumber++ : open.number();
    long first = open == null ? height : open.firstHeight();
    ForestPartition grown =
        new ForestPartition(number, first, OptionalLong.empty(), root, store.slotPages());
    List<ForestPartition> partitions = new ArrayList<>(fold.closed());
    partitions.add(grown.entryCount() >= params.entriesMax() ? grown.closedAt(height) : grown);
    return new ForestVersion(store, height, partitions, fold.fold(), nextNumber);
  }

  private void giveUp(ForestPartition partition, GivenUp givenUp) throws IOException {
    closing.emptied(partition);
    switch (partition.pages()) {
      case PartFile file -> store.dropFile(this, file);
      case SlotPages slots -> givenUp.addAll(slots, store.cache(), partition.root());
    }
  }

  private void take(ForestVersion next, Grown grown) throws CorruptStreamException {
    free(grown.givenUp());
    long more = grown.madeBytes() - grown.givenUp().unsavedBytes();
    unsavedBytes += more;
    unsaved = true;
    ForestVersion old = newest;
    synchronized (store.keeping()) {
      old.replaced(grown.givenUp().unsavedBytes());
      newest = next;
      keep(old, next);
    }
    if (!unpublished) {
      store.changed(more);
    }
  }

  private void keep(ForestVersion old, ForestVersion next) {
    if (unpublished) {
      kept.clear();
    }
    kept.put(next.height(), next);
    if (!unpublished && old.height() != next.height()) {
      store.replaced(this, old);
      while (kept.size() > store.limits().versionsKept() + 1) {
        drop(kept.firstEntry().getValue());
      }
    }
  }

  private void free(GivenUp givenUp) throws CorruptStreamException {
    for (long address : givenUp.addresses()) {
      if (unpublished) {
        store.slots().giveBack(address);
      } else {
        store.slots().free(address);
      }
    }
  }

  /// Forgets the versions that no block from a height on has; never the newest. Who reads one goes
  /// on. Any thread.
  public void prune(long height) {
    synchronized (store.keeping()) {
      Long oldest = kept.floorKey(height);
      if (oldest != null) {
        List.copyOf(kept.headMap(oldest, false).values()).forEach(this::drop);
      }
    }
  }

  /// Versions that can be asked for.
  public int versionsKept() {
    return kept.size();
  }

  /// The older versions that are kept, and the memory that they take.
  ///
  /// @param oldestHeight that of the oldest: of the block that left it
  /// @param olderCount beside the newest
  /// @param olderBytes of memory that those alone take, about
  public record Kept(long oldestHeight, int olderCount, long olderBytes) {}

  /// The older versions that are kept; empty if a rebuilt state has taken the place of this one.
  /// Any thread.
  public Optional<Kept> kept() {
    synchronized (store.keeping()) {
      if (abandoned) {
        return Optional.empty();
      }
      NavigableMap<Long, ForestVersion> older = kept.headMap(newest.height(), false);
      long bytes = 0;
      for (ForestVersion version : older.values()) {
        bytes += version.replacedBytes() + ForestStore.VERSION_BYTES;
      }
      return Optional.of(new Kept(kept.firstKey(), older.size(), bytes));
    }
  }

  /// An older version is asked for no more.
  void drop(ForestVersion version) {
    synchronized (store.keeping()) {
      kept.remove(version.height(), version);
      store.dropped(version);
    }
  }

  /// Fills an empty state from the image that {@link ForestVersion#writeImage} wrote, in slots at
  /// once. For the owner, before the store {@link ForestStore#publish publishes} the state.
  ///
  /// @return the height of the image's block
  /// @throws CorruptStreamException if it is missing, damaged, or another strand's
  public long load(Disk disk, String name) throws IOException, CorruptStreamException {
    if (!unpublished || newest.nextNumber() > 0) {
      throw new IllegalStateException("the state of " + strand + " is not empty");
    }
    store.checkUsable();
    try (ImageLoad image = ImageLoad.open(store, disk, name, strand)) {
      newest = image.version();
      kept.clear();
      kept.put(newest.height(), newest);
      return image.height();
    }
  }

  /// Bytes of nodes that no slot holds. For the owner.
  public long unsavedBytes() {
    return unsavedBytes;
  }

  /// Writes all nodes to slots and drops them from memory, so that a state that is rebuilt may be
  /// larger than memory. No savepoint holds them: after a crash it is filled from the beginning.
  /// For the owner, before the store {@link ForestStore#publish publishes} the state.
  public void spill() throws IOException {
    if (!unpublished) {
      throw new IllegalStateException("the state of " + strand + " has readers");
    }
    store.begin();
    save();
    store.slots().flush();
    store.forgetWritten();
    store.end();
  }

  /// From now on savepoints and readers have it.
  void publish() {
    unpublished = false;
    store.changed(unsavedBytes);
  }

  /// The nodes of it that lie in slots, as far as they are found.
  GivenUp inSlots() throws IOException {
    GivenUp all = new GivenUp();
    for (ForestPartition partition : newest.partitions()) {
      if (partition.pages() instanceof SlotPages slots) {
        all.addAll(slots, store.cache(), partition.root());
      }
    }
    return all;
  }

  /// Another state takes this one's place. Its files go; who reads its versions may go on as with
  /// any older version.
  ///
  /// @param givenUp slots that go too
  void abandon(GivenUp givenUp) throws IOException, CorruptStreamException {
    closing.abandon();
    for (ForestPartition partition : newest.partitions()) {
      if (partition.pages() instanceof PartFile file) {
        store.dropFile(this, file);
      }
    }
    free(givenUp);
    store.changed(-unsavedBytes);
    synchronized (store.keeping()) {
      newest.replaced(0);
      abandoned = true;
      List.copyOf(kept.values()).forEach(this::drop);
    }
  }

  /// Writes the nodes that are in no slot and puts the strand's row into `batch`; nothing if the
  /// state has not changed. For the owner, which takes the store's savepoint next.
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    store.checkUsable();
    if (!unsaved) {
      return;
    }
    store.begin();
    Closing.Moved moved = closing.finish(store.nextSource());
    if (moved != null) {
      move(moved);
    }
    save();
    if (newest.nextNumber() == 0) {
      batch.delete(ForestHead.key(strand));
    } else {
      batch.put(ForestHead.key(strand), head().encode(strand));
    }
    unsaved = false;
    store.end();
  }

  /// A closed partition is in its file from now on, and its slots are given up.
  private void move(Closing.Moved written) throws CorruptStreamException {
    ForestPartition moved = written.partition();
    List<ForestPartition> partitions = new ArrayList<>(newest.partitions());
    partitions.replaceAll(old -> old.number() == moved.number() ? moved : old);
    free(written.inSlots());
    synchronized (store.keeping()) {
      ForestVersion old = newest;
      newest = old.with(partitions);
      kept.put(newest.height(), newest);
      old.replaced(0);
    }
    store.changed(0);
  }

  /// Whether a version that can be asked for has a file. For the owner.
  boolean keeps(PartFile file) {
    for (ForestVersion version : kept.values()) {
      for (ForestPartition partition : version.partitions()) {
        if (partition.pages() == file) {
          return true;
        }
      }
    }
    return false;
  }

  /// Closes what is open. For the owner.
  void close() throws IOException {
    closing.close();
    for (ForestPartition partition : newest.partitions()) {
      if (partition.pages() instanceof PartFile file) {
        file.close();
      }
    }
  }

  /// Why each copy of a closed partition failed that has not succeeded since. For the owner.
  SortedMap<Long, Exception> failedCopies() {
    return closing.failed();
  }

  private ForestHead head() {
    List<ForestHead.Part> parts = new ArrayList<>();
    for (ForestPartition partition : newest.partitions()) {
      parts.add(
          new ForestHead.Part(
              partition.number(),
              partition.firstHeight(),
              partition.lastHeight(),
              partition.root(),
              switch (partition.pages()) {
                case PartFile file -> file.serial();
                case SlotPages _ -> ForestHead.Part.IN_SLOTS;
              }));
    }
    return new ForestHead(newest.height(), newest.nextNumber(), newest.fold(), parts);
  }

  private void save() throws IOException {
    for (ForestPartition partition : newest.partitions()) {
      if (partition.root().isUnsaved()) {
        save(partition.root());
      }
    }
    if (!unpublished) {
      store.changed(-unsavedBytes);
    }
    unsavedBytes = 0;
  }

  /// Depth first, so that each child has its address; at most 16 deep.
  private void save(NodeRef ref) throws IOException {
    ForestPage page = ref.page();
    if (page instanceof InnerPage inner) {
      for (int slot = 0; slot < inner.count(); slot++) {
        NodeRef child = inner.unsavedChild(slot);
        if (child != null) {
          save(child);
        }
      }
    }
    if (page == null) {
      throw new AssertionError("a node neither in memory nor in a slot");
    }
    ref.saveAt(store.slotPages().write(page));
    store.written(ref, page instanceof InnerPage inner ? inner.saved() : page);
  }
}

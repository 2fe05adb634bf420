package io.tallystick.storage.forest;

import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.SavedList.Saved;
import io.tallystick.storage.forest.TreeUpdate.Grown;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicLong;
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
  private final NodeWriter writer;
  private final Closing closing;
  private final SavedVersions saved;
  private final PartFiles files;

  private final SavedStates states;
  private final SlotChanges slots;
  private final RecentVersions recent;
  private final Retention retention;
  private List<Bytes> staleRows = List.of(); // of the state that this one has replaced
  private final AtomicLong operations;
  private long unsavedBytes;
  private boolean unsaved;
  private volatile boolean abandoned;
  private boolean isBeside; // beside another store's state: slots are not worth a walk
  private boolean unpublished; // being filled again: no savepoint and no reader has its nodes

  private StateForest(
      ForestStore store,
      StrandId strand,
      StateParams params,
      ForestVersion newest,
      SavedVersions saved,
      Retention retention,
      PartFiles files) {
    this.store = store;
    this.strand = strand;
    this.params = params;
    this.saved = saved;
    this.retention = retention;
    this.files = files;
    this.states = new SavedStates(store, saved, files);
    this.slots = new SlotChanges(store, saved);
    this.recent = new RecentVersions(store, newest);
    this.operations = new AtomicLong(saved.operations());
    this.update = new TreeUpdate(params, store.slotPages(), store.cache(), store.workers());
    this.writer = new NodeWriter(store);
    this.closing =
        new Closing(
            store.cache(),
            store.disk(),
            store.deletions(),
            strand,
            store.limits().fileEntriesMin());
  }

  /// The state as a savepoint has left it.
  ///
  /// @param row the strand's; null if it has none
  /// @throws CorruptStreamException if a row cannot be read, or a file is missing
  static StateForest saved(
      ForestStore store, StrandId strand, StateParams params, @Nullable Bytes row)
      throws IOException, CorruptStreamException {
    @Nullable ForestHead head = row == null ? null : ForestHead.read(strand, row);
    PartFiles files = new PartFiles(store, strand);
    SavedVersions saved =
        SavedVersions.restore(store.meta(), store.slots(), strand, head, files::drop);
    files.deleteUnnamed(saved);
    boolean done = false;
    try {
      ForestVersion newest =
          head == null
              ? ForestVersion.empty(store)
              : new ForestVersion(
                  store, head.height(), files.partitions(head), head.fold(), head.nextNumber());
      Retention retention = Retention.saved(store.meta(), strand);
      StateForest forest = new StateForest(store, strand, params, newest, saved, retention, files);
      done = true;
      return forest;
    } finally {
      if (!done) {
        files.close();
      }
    }
  }

  /// An empty state for a rebuild, which readers do not see yet.
  static StateForest unpublished(ForestStore store, StrandId strand, StateParams params)
      throws IOException {
    PartFiles files = new PartFiles(store, strand);
    SavedVersions none = SavedVersions.none(store.meta(), store.slots(), strand, files::drop);
    Retention retention = Retention.again(store.meta(), strand);
    StateForest forest =
        new StateForest(store, strand, params, ForestVersion.empty(store), none, retention, files);
    forest.unpublished = true;
    forest.unsaved = true;
    return forest;
  }

  /// The same state as of an older version that is saved, to be filled again from there, which
  /// readers do not see yet.
  ///
  /// @return null if it is saved no more
  @Nullable StateForest rolledBack(long height) throws IOException, CorruptStreamException {
    ForestVersion base = states.version(height);
    if (base == null) {
      return null;
    }
    ForestVersion same =
        new ForestVersion(store, height, base.partitions(), base.fold(), base.nextNumber());
    StateForest forest =
        new StateForest(store, strand, params, same, saved.upTo(height), retention, files);
    forest.unpublished = true;
    forest.unsaved = true;
    return forest;
  }

  /// The newest saved version that cannot have what is damaged; empty if there is none.
  ///
  /// @param file and `offset` of the damage
  public OptionalLong olderThan(String file, long offset)
      throws IOException, CorruptStreamException {
    long address = store.slots().addressAt(file, offset);
    return address < 0 ? OptionalLong.empty() : saved.olderThan(address);
  }

  /// A state that is filled again is not wanted any more: the slots that it took are free. For the
  /// owner.
  ///
  /// @param height of the version that it was rolled back to
  public void discard(long height) throws IOException, CorruptStreamException {
    slots.countTaken(unpublished);
    slots.giveBack(saved.takenAbove(height));
  }

  /// What goes when one that was {@link #rolledBack} to a version takes this state's place.
  Retirement retirement(long height) throws IOException, CorruptStreamException {
    return new Retirement(
        saved.rowsAbove(height), files.above(height, saved), saved.takenAbove(height));
  }

  /// Another one, whose files these are, too, has taken this state's place.
  void retire(Retirement going) throws CorruptStreamException {
    closing.abandon();
    store.changed(-unsavedBytes);
    abandoned = true;
    recent.dropAll();
    saved.forget();
    going.files().forEach(files::drop);
    saved.release(going.slots().with(slots.drainTaken()));
  }

  /// A state that begins as a version of another store, whose pages the store reads as well.
  static StateForest beside(
      ForestStore store, StateParams params, StrandId strand, ForestVersion base)
      throws IOException {
    StateForest forest = unpublished(store, strand, params);
    forest.isBeside = true;
    forest.recent.startOver(base.beside(store));
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
    return recent.newest();
  }

  /// The state as of a block, from 0. Any thread.
  ///
  /// @throws CorruptStreamException if the row of a saved version cannot be read, or a file is
  ///   missing
  public VersionAt versionAt(long height) throws IOException, CorruptStreamException {
    if (abandoned) {
      return new VersionAt.Changed();
    }
    ForestVersion inMemory = recent.floor(height);
    return inMemory == null ? states.at(height, operations.get()) : new VersionAt.Kept(inMemory);
  }

  /// Applies the operations of a block whose preconditions hold. For the owner.
  ///
  /// @param height above those before
  /// @param writes in order; of those on one key the last one counts
  /// @throws CorruptStreamException if a node on the way is damaged; the state is then as before
  public ForestVersion apply(long height, List<HeldEntry> writes)
      throws IOException, CorruptStreamException {
    store.checkUsable();
    ForestVersion newest = version();
    if (writes.isEmpty()) {
      return newest;
    }
    BlockEntries added = BlockEntries.of(writes);
    if (!unpublished) {
      closing.advance(newest, added.size());
    }
    FoldStep fold = new FoldStep(newest, store.cache());
    fold.run(added);
    EntryBatch batch = EntryBatch.of(added.with(fold.carried()).list());
    ForestPartition open = fold.open();
    Grown grown = update.apply(open == null ? null : open.root(), batch);
    store.begin();
    for (ForestPartition partition : fold.emptied()) {
      giveUp(partition, grown.givenUp());
    }
    take(next(height, newest.nextNumber(), fold, open, grown.root()), grown);
    operations.addAndGet(writes.size());
    store.end();
    return version();
  }

  private ForestVersion next(
      long height, long nextNumber, FoldStep fold, @Nullable ForestPartition open, NodeRef root) {
    long number = open == null ? nextNumber : open.number();
    long first = open == null ? height : open.firstHeight();
    ForestPartition grown =
        new ForestPartition(number, first, OptionalLong.empty(), root, store.slotPages());
    List<ForestPartition> partitions = new ArrayList<>(fold.closed());
    partitions.add(grown.entryCount() >= params.entriesMax() ? grown.closedAt(height) : grown);
    return new ForestVersion(
        store, height, partitions, fold.fold(), open == null ? nextNumber + 1 : nextNumber);
  }

  private void giveUp(ForestPartition partition, GivenUp more) throws IOException {
    closing.emptied(partition);
    switch (partition.pages()) {
      case PartFile file -> slots.giveUp(partition, file);
      case SlotPages pages -> {
        if (!isBeside) {
          more.addAll(pages, store.cache(), partition.root());
        }
      }
    }
  }

  private void take(ForestVersion next, Grown grown) throws CorruptStreamException {
    GivenUp without = grown.givenUp();
    long more = grown.madeBytes() - without.unsavedBytes();
    unsavedBytes += more;
    unsaved = true;
    if (unpublished) {
      slots.giveUpOrBack(without);
      recent.startOver(next);
    } else {
      slots.giveUp(without);
      recent.add(next, without.unsavedBytes());
      store.operationsDue(this);
      store.changed(more);
    }
  }

  /// The next savepoint drops the versions that states from a height on are not made from; never
  /// the newest. Who reads one goes on. Then room is given back to the file system. Any thread.
  public void prune(long height) {
    retention.prune(height);
    pruneSoon();
  }

  /// The next savepoint, and those after it, keep the versions that both these limits and the
  /// shard's allow. Any thread.
  public void limit(OwnLimits limits) {
    retention.limit(limits);
    pruneSoon();
  }

  private void pruneSoon() {
    if (!abandoned) {
      store.prunes(this);
    }
  }

  /// As {@link #prune}, but none below the height stays, though it is the state as of the height.
  ///
  /// @return whether it was asked for the first time since the state was opened
  public boolean dropBelow(long height) {
    boolean first = retention.dropBelow(height);
    if (first) {
      store.prunes(this);
    }
    return first;
  }

  /// Whether what was asked to be pruned is still to be found on the disk. Any thread.
  public boolean isPruning() {
    return !abandoned && store.isPruning(this);
  }

  /// The heights of the versions that savepoints keep, ascending. Any thread.
  public List<Long> savedHeights() {
    return saved.versions().stream().map(Saved::height).toList();
  }

  /// The versions that savepoints keep.
  SavedVersions savedVersions() {
    return saved;
  }

  /// The newest version and those before it that are in memory.
  int recentVersions() {
    return recent.size();
  }

  /// Whether a file is that of a partition which is being moved.
  boolean isBeingWritten(String name) {
    return closing.isWriting(name);
  }

  /// The older versions that savepoints keep; empty if a rebuilt state has taken the place of this
  /// one. Any thread.
  public Optional<KeptVersions> kept() {
    return abandoned
        ? Optional.empty()
        : Optional.of(
            KeptVersions.of(saved, version().height(), store.limits().saved(), retention.own()));
  }

  /// Fills an empty state from the image that {@link ForestVersion#writeImage} wrote, in slots at
  /// once. For the owner, before the store {@link ForestStore#publish publishes} the state.
  ///
  /// @return the height of the image's block
  /// @throws CorruptStreamException if it is missing, damaged, or another strand's
  public long load(Disk disk, String name) throws IOException, CorruptStreamException {
    if (!unpublished || version().nextNumber() > 0) {
      throw new IllegalStateException("the state of " + strand + " is not empty");
    }
    store.checkUsable();
    try (ImageLoad image = ImageLoad.open(store, disk, name, strand)) {
      recent.startOver(image.version());
      slots.countTaken(unpublished);
      saved.startsLater();
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

  /// The state before any operation is not kept of a state that is filled again.
  public void startsLater() {
    saved.startsLater();
  }

  /// Keeps the version of a state that is filled again: the savepoint that follows its {@link
  /// ForestStore#publish} has it as an older one, unless there are too many.
  public void keepVersion() throws IOException, CorruptStreamException {
    spill();
    if (!saved.has(version().height())) {
      slots.save(ForestHead.of(version()), operations.get());
    }
  }

  /// From now on savepoints and readers have it.
  ///
  /// @param stale rows of the state before, which the next savepoint deletes
  /// @param before whose place it takes; null if that cannot be read
  void publish(List<Bytes> stale, @Nullable StateForest before) {
    unpublished = false;
    if (before != null) {
      retention.limit(before.retention.own());
    }
    staleRows = stale;
    store.changed(unsavedBytes);
  }

  /// The nodes of it that lie in slots, as far as they are found.
  GivenUp inSlots() throws IOException {
    return GivenUp.of(version(), store.cache());
  }

  /// Another state takes this one's place. Its files go; who reads its versions may go on as with
  /// any older version.
  ///
  /// @param own slots that go, too; null if they cannot be told from another state's
  void abandon(@Nullable GivenUp own) throws IOException, CorruptStreamException {
    closing.abandon();
    store.changed(-unsavedBytes);
    abandoned = true;
    recent.dropAll();
    files.dropAll(saved);
    if (own != null) {
      saved.abandon(own.slots().with(slots.givenUp()));
    }
  }

  /// Writes the nodes that are in no slot and puts the strand's rows into `batch`; nothing if the
  /// state has not changed. For the owner, which takes the store's savepoint next.
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    store.checkUsable();
    if (abandoned || (!unsaved && !store.isPruning(this))) {
      return;
    }
    store.begin();
    staleRows.forEach(batch::delete);
    staleRows = List.of();
    Closing.Moved moved = closing.finish(store.nextSource());
    if (moved != null) {
      move(moved);
    }
    save();
    recent.dropOlder();
    slots.save(ForestHead.of(version()), operations.get());
    if (saved.versions().size() > 1 && !store.hasRoomForVersions()) {
      store.droppedForRoom(this, saved.versions().size() - 1);
      saved.dropBelow(version().height());
    }
    retention.drop(saved, store.limits().saved(), version().fileBytes());
    saved.write(batch);
    retention.write(batch);
    store.savedRows(this);
    unsaved = false;
    store.end();
  }

  void batchWritten() {
    saved.saved();
    retention.written();
  }

  /// Whether so many operations were carried out since the last savepoint that one is due.
  boolean savepointDue() {
    return operations.get() - saved.operations() >= store.limits().saved().operationsBetween();
  }

  /// A closed partition is in its file from now on, and its slots are given up.
  private void move(Closing.Moved written) throws IOException, CorruptStreamException {
    ForestPartition moved = written.partition();
    ForestVersion newest = version();
    List<ForestPartition> partitions = new ArrayList<>(newest.partitions());
    partitions.replaceAll(old -> old.number() == moved.number() ? moved : old);
    files.add(moved);
    recent.replaceNewest(newest.with(partitions));
    if (!saved.move(ForestHead.Part.of(moved), written.inSlots().slots())) {
      slots.giveUp(written.inSlots());
    }
    store.changed(0);
  }

  void close() throws IOException {
    closing.close();
    files.close();
  }

  /// Why each copy of a closed partition failed that has not succeeded since. For the owner.
  SortedMap<Long, Exception> failedCopies() {
    return closing.failed();
  }

  private void save() throws IOException {
    writer.write(version());
    slots.countTaken(unpublished);
    if (!unpublished) {
      store.changed(-unsavedBytes);
    }
    unsavedBytes = 0;
  }
}

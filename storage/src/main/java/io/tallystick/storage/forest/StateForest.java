package io.tallystick.storage.forest;

import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.forest.SavedList.Saved;
import io.tallystick.storage.forest.SavedList.SavedFile;
import io.tallystick.storage.forest.TreeUpdate.Grown;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.page.SlotList;
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
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The state forest of one strand, advanced by whole blocks, all of a block or nothing. Nodes are
/// never changed: a block makes those on the way to its keys anew and shares the others with the
/// versions before.
///
/// One owner thread applies and saves. Any thread reads a {@link ForestVersion}. Source: ViDB
/// sections 3 and 4; `docs/formats/forest.md`.
public final class StateForest {
  /// A savepoint comes behind the block with which it became due: two versions may lie so many
  /// times further apart than they should.
  private static final int REACH = 2;

  private final ForestStore store;
  private final StrandId strand;
  private final StateParams params;
  private final TreeUpdate update;
  private final Closing closing;
  private final SavedVersions saved;
  private final PartFiles files;

  /// The newest version and those before it since the last savepoint, without gaps.
  private final NavigableMap<Long, ForestVersion> recent = new ConcurrentSkipListMap<>();

  private final AtomicLong pruneTo = new AtomicLong();
  private final AtomicLong dropBelow = new AtomicLong();
  private GivenUp givenUp = new GivenUp(); // since the last savepoint

  /// Slots that were taken since the last version that is saved, or will be.
  private final AddressSet taken = new AddressSet();

  private final List<SavedFile> givenUpFiles = new ArrayList<>();
  private List<Bytes> staleRows = List.of(); // of the state that this one has replaced
  private volatile ForestVersion newest;
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
      PartFiles files) {
    this.store = store;
    this.strand = strand;
    this.params = params;
    this.newest = newest;
    this.saved = saved;
    this.files = files;
    this.operations = new AtomicLong(saved.operations());
    this.update =
        new TreeUpdate(params, store.slotPages(), store.cache(), store.workers(), store.hasher());
    this.closing =
        new Closing(
            store.cache(),
            store.disk(),
            store.deletions(),
            strand,
            store.limits().fileEntriesMin());
    recent.put(newest.height(), newest);
  }

  /// The state as a savepoint has left it.
  ///
  /// @param row the strand's; null if it has none
  /// @throws CorruptStreamException if a row cannot be read, or a file is missing
  static StateForest saved(
      ForestStore store, StrandId strand, StateParams params, @Nullable Bytes row)
      throws IOException, CorruptStreamException {
    @Nullable ForestHead head = row == null ? null : decoded(strand, row);
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
      StateForest forest = new StateForest(store, strand, params, newest, saved, files);
      done = true;
      return forest;
    } finally {
      if (!done) {
        files.close();
      }
    }
  }

  private static ForestHead decoded(StrandId strand, Bytes row) throws CorruptStreamException {
    try {
      return ForestHead.decode(strand, row);
    } catch (MalformedException | IllegalArgumentException e) {
      throw new CorruptStreamException(
          "state of " + strand, 0, "row cannot be read: " + e.getMessage(), e);
    }
  }

  /// An empty state for a rebuild, which readers do not see yet.
  static StateForest unpublished(ForestStore store, StrandId strand, StateParams params) {
    PartFiles files = new PartFiles(store, strand);
    SavedVersions none = SavedVersions.none(store.meta(), store.slots(), strand, files::drop);
    StateForest forest =
        new StateForest(store, strand, params, ForestVersion.empty(store), none, files);
    forest.unpublished = true;
    forest.unsaved = true;
    return forest;
  }

  /// The same state as of an older version that is saved, to be filled again from there, which
  /// readers do not see yet.
  ///
  /// @return null if it is saved no more
  @Nullable StateForest rolledBack(long height) throws IOException, CorruptStreamException {
    ForestVersion base = savedVersion(height);
    if (base == null) {
      return null;
    }
    ForestVersion same =
        new ForestVersion(store, height, base.partitions(), base.fold(), base.nextNumber());
    StateForest forest = new StateForest(store, strand, params, same, saved.upTo(height), files);
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
    countTaken();
    for (long address : taken.drain().with(saved.takenAbove(height)).addresses()) {
      store.slots().giveBack(address);
    }
  }

  /// This state's place is taken by one that was {@link #rolledBack}, whose files these are, too.
  void retire(long height) throws IOException, CorruptStreamException {
    closing.abandon();
    store.changed(-unsavedBytes);
    synchronized (store.keeping()) {
      abandoned = true;
      dropRecent();
      newest.drop();
    }
    files.dropAbove(height, saved);
    saved.release(saved.takenAbove(height));
  }

  /// The slots that saved versions above a height took.
  SlotList takenAbove(long height) throws IOException, CorruptStreamException {
    return saved.takenAbove(height);
  }

  List<Bytes> rowsAbove(long height) {
    return saved.rowsAbove(height);
  }

  /// A state that begins as a version of another store, whose pages the store reads as well.
  static StateForest beside(
      ForestStore store, StateParams params, StrandId strand, ForestVersion base) {
    StateForest forest = unpublished(store, strand, params);
    forest.isBeside = true;
    List<ForestPartition> partitions = new ArrayList<>();
    for (ForestPartition each : base.partitions()) {
      PageSource pages = each.pages() instanceof SlotPages ? store.slotPages() : each.pages();
      partitions.add(
          new ForestPartition(
              each.number(), each.firstHeight(), each.lastHeight(), each.root(), pages));
    }
    forest.recent.clear();
    forest.newest =
        new ForestVersion(store, base.height(), partitions, base.fold(), base.nextNumber());
    forest.recent.put(base.height(), forest.newest);
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

    /// @param version the newest that is saved and that no block above the height made. It is the
    ///   state as of the height if it has the root that was sealed there, and can be brought to it
    ///   by the operations in between otherwise
    /// @param operationsBehind to the next version, as many at most as lie in between
    /// @param isWithinReach whether these are few enough to be carried out for a reader
    record Saved(ForestVersion version, long operationsBehind, boolean isWithinReach)
        implements At {}

    /// @param oldestHeight from which on versions are kept
    record Pruned(long oldestHeight) implements At {}

    /// The version has just been dropped, or another state has taken the place of this one, and is
    /// to be asked.
    record Changed() implements At {}
  }

  /// The state as of a block, from 0. Any thread.
  ///
  /// @throws CorruptStreamException if the row of a saved version cannot be read, or a file is
  ///   missing
  public At versionAt(long height) throws IOException, CorruptStreamException {
    if (abandoned) {
      return new At.Changed();
    }
    Map.Entry<Long, ForestVersion> entry = recent.floorEntry(height);
    if (entry != null) {
      return new At.Kept(entry.getValue());
    }
    List<Saved> versions = saved.versions();
    Saved floor = saved.floor(height);
    if (floor != null) {
      ForestVersion version = savedVersion(floor.height());
      long behind = operationsBehind(versions, floor);
      return version == null
          ? new At.Changed()
          : new At.Saved(version, behind, behind <= REACH * limits().operationsBetween());
    }
    boolean pruned = !versions.isEmpty() && versions.getFirst().height() > height;
    return pruned ? new At.Pruned(versions.getFirst().height()) : new At.Changed();
  }

  private VersionLimits limits() {
    return store.limits().saved();
  }

  private long operationsBehind(List<Saved> versions, Saved floor) {
    for (Saved saved : versions) {
      if (saved.height() > floor.height()) {
        return saved.operations() - floor.operations();
      }
    }
    return operations.get() - floor.operations();
  }

  /// @return null if it is saved no more
  private @Nullable ForestVersion savedVersion(long height)
      throws IOException, CorruptStreamException {
    long moves = saved.moves();
    ForestHead head = saved.row(height);
    if (head == null) {
      return null;
    }
    List<ForestPartition> partitions =
        files.partitionsIf(head, () -> saved.has(height) && saved.moves() == moves);
    return partitions == null
        ? null
        : new ForestVersion(
            store,
            height,
            partitions,
            head.fold(),
            head.nextNumber(),
            () -> saved.has(height) && saved.moves() == moves);
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
    operations.addAndGet(writes.size());
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

  private void giveUp(ForestPartition partition, GivenUp more) throws IOException {
    closing.emptied(partition);
    switch (partition.pages()) {
      case PartFile file ->
          givenUpFiles.add(
              new SavedFile(
                  partition.number(),
                  file.serial(),
                  partition.lastHeight().orElseThrow(),
                  file.bytes()));
      case SlotPages slots -> {
        if (!isBeside) {
          more.addAll(slots, store.cache(), partition.root());
        }
      }
    }
  }

  private void take(ForestVersion next, Grown grown) throws CorruptStreamException {
    GivenUp without = grown.givenUp();
    giveUp(without);
    long more = grown.madeBytes() - without.unsavedBytes();
    unsavedBytes += more;
    unsaved = true;
    ForestVersion old = newest;
    synchronized (store.keeping()) {
      old.replaced(without.unsavedBytes());
      newest = next;
      keep(old, next);
    }
    if (!unpublished) {
      store.changed(more);
    }
  }

  /// A slot that no version was saved with is free at once.
  private void giveUp(GivenUp without) throws CorruptStreamException {
    if (!unpublished) {
      givenUp.add(without);
      return;
    }
    for (long address : without.addresses()) {
      if (!store.slotPages().isOfBase(address)) {
        if (taken.remove(store.slotPages().slot(address))) {
          store.slotPages().giveBack(address);
          saved.took(-store.slots().sizes().bytesAt(address));
        } else {
          givenUp.add(address);
        }
      }
    }
  }

  private void keep(ForestVersion old, ForestVersion next) {
    if (unpublished) {
      recent.clear();
    }
    recent.put(next.height(), next);
    if (!unpublished && old.height() != next.height()) {
      store.replaced(this, old);
      while (recent.size() > store.limits().recentVersions() + 1) {
        drop(recent.firstEntry().getValue());
      }
    }
  }

  /// A version before the newest is kept in memory no more.
  void drop(ForestVersion version) {
    synchronized (store.keeping()) {
      version.drop();
      recent.remove(version.height(), version);
      store.dropped(version);
    }
  }

  /// What savepoints keep is what lasts: after one the older versions in memory go.
  private void dropRecent() {
    synchronized (store.keeping()) {
      List.copyOf(recent.headMap(newest.height(), false).values()).forEach(this::drop);
    }
  }

  /// The next savepoint forgets the versions that no block from a height on has; never the newest.
  /// Who reads one goes on. Then room is given back to the file system. Any thread.
  public void prune(long height) {
    pruneTo.accumulateAndGet(height, Math::max);
    store.prunes(this);
  }

  /// As {@link #prune}, but none below the height stays, though it is the state as of the height.
  ///
  /// @return whether it was asked for the first time since the state was opened
  public boolean dropBelow(long height) {
    boolean first = dropBelow.getAndAccumulate(height, Math::max) < height;
    if (first) {
      store.prunes(this);
    }
    return first;
  }

  /// Whether what was asked to be pruned is still to be found on the disk. Any thread.
  public boolean isPruning() {
    return !abandoned && store.isPruning(this);
  }

  /// The heights of the versions that savepoints keep, ascending: of the blocks that left them, 0
  /// for the state before any. Any thread.
  public List<Long> savedHeights() {
    return saved.versions().stream().map(Saved::height).toList();
  }

  /// The versions that savepoints keep, oldest first.
  List<Saved> savedVersions() {
    return saved.versions();
  }

  /// The newest version and those before it that are in memory.
  int recentVersions() {
    return recent.size();
  }

  /// Whether a file is that of a partition which is being moved.
  boolean isBeingWritten(String name) {
    return closing.isWriting(name);
  }

  /// The older versions that savepoints keep.
  ///
  /// @param oldestHeight that of the oldest: of the block that left it
  /// @param olderCount beside the newest
  /// @param olderBytes of slots and files that those alone take
  public record Kept(long oldestHeight, int olderCount, long olderBytes) {}

  /// The older versions that savepoints keep; empty if a rebuilt state has taken the place of this
  /// one. Any thread.
  public Optional<Kept> kept() {
    if (abandoned) {
      return Optional.empty();
    }
    List<Saved> versions = saved.versions();
    return Optional.of(
        versions.isEmpty()
            ? new Kept(newest.height(), 0, 0)
            : new Kept(versions.getFirst().height(), versions.size() - 1, saved.olderBytes()));
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
      recent.clear();
      recent.put(newest.height(), newest);
      countTaken();
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
    countTaken();
    store.slots().flush();
    store.forgetWritten();
    store.end();
  }

  private void countTaken() {
    SlotList more = store.slotPages().taken();
    taken.addAll(more);
    saved.took(more.bytes(store.slots().sizes()));
  }

  /// The state before any operation is not kept of a state that is filled again.
  public void startsLater() {
    saved.startsLater();
  }

  /// Keeps the version of a state that is filled again: the savepoint that follows its {@link
  /// ForestStore#publish} has it as an older one, unless there are too many.
  public void keepVersion() throws IOException, CorruptStreamException {
    spill();
    if (!saved.has(newest.height())) {
      saveVersion();
    }
  }

  /// From now on savepoints and readers have it.
  ///
  /// @param stale rows of the state before, which the next savepoint deletes
  void publish(List<Bytes> stale) {
    unpublished = false;
    staleRows = stale;
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
  /// @param slots that go, too; null if they cannot be told from another state's
  void abandon(@Nullable GivenUp slots) throws IOException, CorruptStreamException {
    closing.abandon();
    store.changed(-unsavedBytes);
    synchronized (store.keeping()) {
      abandoned = true;
      dropRecent();
      newest.drop();
    }
    files.dropAll(saved);
    if (slots != null) {
      saved.abandon(slots.slots().with(givenUp.slots()));
    }
  }

  /// Writes the nodes that are in no slot and puts the strand's rows into `batch`; nothing if the
  /// state has not changed. For the owner, which takes the store's savepoint next.
  public void savepoint(MetaBatch batch) throws IOException, CorruptStreamException {
    store.checkUsable();
    if (!unsaved && !store.isPruning(this)) {
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
    countTaken();
    dropRecent();
    saveVersion();
    Saved floor = saved.floor(pruneTo.get());
    saved.dropBelow(Math.max(dropBelow.get(), floor == null ? 0 : floor.height()));
    if (saved.versions().size() > 1 && !store.hasRoomForVersions()) {
      store.droppedForRoom(this, saved.versions().size() - 1);
      saved.dropBelow(newest.height());
    }
    saved.thin(limits());
    saved.write(batch);
    store.savedRows(this);
    unsaved = false;
    store.end();
  }

  private void saveVersion() throws IOException, CorruptStreamException {
    if (saved.has(newest.height())) {
      saved.replaceNewest(head());
      return;
    }
    SlotList more = taken.drain();
    SlotList less = givenUp.slots();
    saved.release(less.in(more)); // a rebuild took them, and no version was saved with them
    saved.add(head(), operations.get(), more.without(less), less.without(more), givenUpFiles);
    givenUp = new GivenUp();
    givenUpFiles.clear();
  }

  /// The batch of the last savepoint was written.
  void saved() {
    saved.saved();
  }

  /// Whether so many operations were carried out since the last savepoint that one is due.
  boolean savepointDue() {
    return operations.get() - saved.operations() >= limits().operationsBetween();
  }

  /// A closed partition is in its file from now on, and its slots are given up.
  private void move(Closing.Moved written) throws IOException, CorruptStreamException {
    ForestPartition moved = written.partition();
    List<ForestPartition> partitions = new ArrayList<>(newest.partitions());
    partitions.replaceAll(old -> old.number() == moved.number() ? moved : old);
    files.add(moved);
    synchronized (store.keeping()) {
      ForestVersion old = newest;
      newest = old.with(partitions);
      recent.put(newest.height(), newest);
      old.drop();
    }
    saved.move(part(moved), written.inSlots().slots());
    store.changed(0);
  }

  /// Closes what is open. For the owner.
  void close() throws IOException {
    closing.close();
    files.close();
  }

  /// Why each copy of a closed partition failed that has not succeeded since. For the owner.
  SortedMap<Long, Exception> failedCopies() {
    return closing.failed();
  }

  private ForestHead head() {
    List<ForestHead.Part> parts = newest.partitions().stream().map(StateForest::part).toList();
    return new ForestHead(newest.height(), newest.nextNumber(), newest.fold(), parts);
  }

  private static ForestHead.Part part(ForestPartition partition) {
    return new ForestHead.Part(
        partition.number(),
        partition.firstHeight(),
        partition.lastHeight(),
        partition.root(),
        switch (partition.pages()) {
          case PartFile file -> file.serial();
          case SlotPages _ -> ForestHead.Part.IN_SLOTS;
        });
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

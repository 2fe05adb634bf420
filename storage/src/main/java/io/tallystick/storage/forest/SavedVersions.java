package io.tallystick.storage.forest;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.StrandId;
import io.tallystick.storage.forest.SavedList.Saved;
import io.tallystick.storage.forest.SavedList.SavedFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.page.SlotList;
import io.tallystick.storage.page.SlotStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The versions of a strand's state that savepoints keep. Each names the slots that it took and
/// those that it gave up since the version before; what the oldest took is not listed. So a slot
/// that version b gave up goes when no version is left that took it, or came after that, and lies
/// before b. When version v between a and b is dropped, the slots that v took and b gave up go; b's
/// lists take up what is left of v's.
///
/// The owner changes them, within a savepoint; any thread reads the list and the rows. Source: ViDB
/// section 4.3; `docs/formats/state-pages.md`, "Saved versions".
final class SavedVersions {
  /// The state before any operation is a version, too: it takes no slot, and has no row.
  private static final SavedList FOUNDING =
      new SavedList(0, List.of(new Saved(0, 0, 0, List.of())));

  private static final ForestHead EMPTY = new ForestHead(0, 0, Fold.AT_FIRST, List.of());

  private final MetaStore meta;
  private final SlotStore slots;
  private final StrandId strand;
  private final Consumer<SavedFile> onDroppedFile;
  private final Collection<Long> dropped = new ArrayList<>();

  /// Lists and rows that the batch of a savepoint has, until it is written.
  private final Map<Bytes, SlotList> changedLists = new HashMap<>();

  private final Map<Long, Bytes> changedRows = new ConcurrentHashMap<>();

  private volatile List<Saved> versions;
  private final AtomicLong moves = new AtomicLong();
  private long slotBytes;

  /// @param onDroppedFile told of the files that no version has any more
  private SavedVersions(
      MetaStore meta,
      SlotStore slots,
      StrandId strand,
      SavedList list,
      Consumer<SavedFile> onDroppedFile) {
    this.meta = meta;
    this.slots = slots;
    this.strand = strand;
    this.versions = list.versions();
    this.slotBytes = list.slotBytes();
    this.onDroppedFile = onDroppedFile;
  }

  /// As the last savepoint left them; none if there was none.
  ///
  /// @param newest the strand's row; null if it has none
  /// @throws CorruptStreamException if the list cannot be read
  static SavedVersions restore(
      MetaStore meta,
      SlotStore slots,
      StrandId strand,
      @Nullable ForestHead newest,
      Consumer<SavedFile> onDroppedFile)
      throws IOException, CorruptStreamException {
    SavedList list = FOUNDING;
    if (newest != null) {
      SavedList known = SavedList.read(meta, strand);
      list = known == null ? alone(newest) : known;
      if (list.versions().isEmpty() || list.versions().getLast().height() != newest.height()) {
        throw damage(strand, newest.height(), "the newest is not the last of those saved");
      }
    }
    return new SavedVersions(meta, slots, strand, list, onDroppedFile);
  }

  /// Those of a state that is filled again: none so far.
  static SavedVersions none(
      MetaStore meta, SlotStore slots, StrandId strand, Consumer<SavedFile> onDroppedFile) {
    return new SavedVersions(meta, slots, strand, new SavedList(0, List.of()), onDroppedFile);
  }

  private static SavedList alone(ForestHead newest) {
    return new SavedList(0, List.of(new Saved(newest.height(), 0, 0, List.of())));
  }

  private static CorruptStreamException damage(StrandId strand, long height, String what) {
    return new CorruptStreamException("saved versions of " + strand, height, what);
  }

  /// Oldest first; the last is the newest that is saved.
  List<Saved> versions() {
    return versions;
  }

  /// The newest that no block above a height made; null if there is none.
  @Nullable Saved floor(long height) {
    Saved found = null;
    for (Saved saved : versions) {
      if (saved.height() > height) {
        break;
      }
      found = saved;
    }
    return found;
  }

  boolean has(long height) {
    Saved found = floor(height);
    return found != null && found.height() == height;
  }

  /// How often rows were changed because a partition was moved: what was read before names slots
  /// that are given up.
  long moves() {
    return moves.get();
  }

  /// Operations until the newest version that is saved.
  long operations() {
    List<Saved> all = versions;
    return all.isEmpty() ? 0 : all.getLast().operations();
  }

  /// Bytes of slots and files that only older versions have.
  long olderBytes() {
    long bytes = 0;
    for (Saved saved : versions) {
      bytes += saved.givenUpBytes();
      for (SavedFile file : saved.files()) {
        bytes += file.bytes();
      }
    }
    return bytes;
  }

  /// The row of a version. Any thread.
  ///
  /// @return null if it is saved no more
  @Nullable ForestHead row(long height) throws IOException, CorruptStreamException {
    while (has(height)) {
      if (height == 0) {
        return EMPTY;
      }
      List<Saved> before = versions;
      Bytes row = storedRow(before, height);
      if (row != null) {
        ForestHead head = decodedRow(height, row);
        if (head.height() == height) {
          return head;
        }
      }
      if (before.equals(versions)) { // else another savepoint has moved the row
        throw damage(strand, height, "row is missing");
      }
    }
    return null;
  }

  private @Nullable Bytes storedRow(List<Saved> all, long height) throws IOException {
    Bytes changed = changedRows.get(height);
    if (changed != null) {
      return changed;
    }
    return all.getLast().height() == height
        ? meta.get(ForestHead.key(strand))
        : meta.get(SavedKeys.version(strand, height));
  }

  private ForestHead decodedRow(long height, Bytes row) throws CorruptStreamException {
    try {
      return ForestHead.decode(strand, row);
    } catch (MalformedException | IllegalArgumentException e) {
      throw damage(strand, height, "row cannot be read: " + e.getMessage());
    }
  }

  /// @param bytes of slots that the strand has taken; below 0 if it gave some back
  void took(long bytes) {
    slotBytes += bytes;
  }

  /// A partition was moved to a file: every version that has it closed names the file, and its
  /// slots go.
  ///
  /// @return false if none has, because a rebuild has closed it: the next one gives the slots up
  boolean move(ForestHead.Part moved, SlotList inSlots) throws IOException, CorruptStreamException {
    List<Saved> all = versions;
    int first = 0;
    while (first < all.size() && all.get(first).height() < moved.lastHeight().orElseThrow()) {
      first++;
    }
    for (Saved saved : all.subList(first, all.size())) {
      ForestHead head = row(saved.height());
      if (head == null) {
        throw new AssertionError("version " + saved.height() + " is dropped meanwhile");
      }
      changedRows.put(saved.height(), head.withMoved(moved).encode(strand));
    }
    moves.incrementAndGet();
    if (first == all.size()) {
      return false;
    }
    if (first == 0) {
      release(inSlots);
      return true;
    }
    long height = all.get(first).height();
    SlotList taken = taken(height);
    SlotList own = inSlots.in(taken);
    release(own);
    change(SavedKeys.taken(strand, height), taken.without(own));
    giveUp(first, givenUp(height).with(inSlots.without(own)), all.get(first).files());
    return true;
  }

  /// The newest version is saved.
  ///
  /// @param head its row
  /// @param taken slots that only it has
  /// @param givenUp slots that the version before has, and it has not
  /// @param files likewise
  void add(
      ForestHead head, long operations, SlotList taken, SlotList givenUp, List<SavedFile> files)
      throws IOException {
    List<Saved> all = new ArrayList<>(versions);
    if (!all.isEmpty()) {
      long before = all.getLast().height();
      if (before > 0 && !changedRows.containsKey(before)) {
        Bytes row = meta.get(ForestHead.key(strand));
        if (row == null) {
          throw new AssertionError("version " + before + " is saved, and has no row");
        }
        changedRows.put(before, row);
      }
      change(SavedKeys.taken(strand, head.height()), taken);
      change(SavedKeys.givenUp(strand, head.height()), givenUp);
    }
    if (all.isEmpty()) { // rows of the state before this one
      change(SavedKeys.taken(strand, head.height()), SlotList.EMPTY);
      change(SavedKeys.givenUp(strand, head.height()), SlotList.EMPTY);
    }
    changedRows.put(head.height(), head.encode(strand));
    all.add(new Saved(head.height(), operations, givenUp.bytes(slots.sizes()), List.copyOf(files)));
    versions = List.copyOf(all);
  }

  /// The newest version is saved already, but may lie elsewhere: a partition was moved.
  void replaceNewest(ForestHead head) {
    if (head.height() > 0) {
      changedRows.put(head.height(), head.encode(strand));
    }
  }

  /// The state before any operation is no version that can be asked for.
  void startsLater() {
    versions = List.of();
  }

  /// Drops versions until the others are within the limits: first of those in between, the ones
  /// that lie closest to their neighbours, measured by their age; and the oldest where dropping
  /// another would leave too many operations between two. Age and distance are counted in
  /// operations.
  ///
  /// @param own of the strand
  /// @param fileBytes of the newest version's files
  void thin(VersionLimits limits, OwnLimits own, long fileBytes)
      throws IOException, CorruptStreamException {
    while (versions.size() > 1
        && (versions.size() - 1 > own.versionsMax(limits)
            || olderBytes() > own.bytesMax(limits, newestBytes(fileBytes)))) {
      drop(leastWanted(limits.operationsBetween()));
    }
  }

  private long newestBytes(long fileBytes) {
    long older = versions.stream().mapToLong(Saved::givenUpBytes).sum();
    return Math.max(1 << 20, slotBytes - older + fileBytes);
  }

  private int leastWanted(long operationsBetween) {
    List<Saved> all = versions;
    long now = all.getLast().operations();
    int least = 0;
    double leastSpacing = Double.MAX_VALUE;
    for (int i = 1; i < all.size() - 1; i++) {
      long between = all.get(i + 1).operations() - all.get(i - 1).operations();
      double spacing = (double) between / (now - all.get(i).operations() + 1);
      if (between <= operationsBetween && spacing < leastSpacing) {
        least = i;
        leastSpacing = spacing;
      }
    }
    return least;
  }

  /// Drops the versions below a height; never the newest.
  void dropBelow(long height) throws IOException, CorruptStreamException {
    while (versions.size() > 1 && versions.getFirst().height() < height) {
      drop(0);
    }
  }

  private void drop(int index) throws IOException, CorruptStreamException {
    List<Saved> all = new ArrayList<>(versions);
    Saved gone = all.get(index);
    Saved next = all.get(index + 1);
    SlotList givenUp = givenUp(next.height());
    List<SavedFile> files = new ArrayList<>();
    List<SavedFile> goneFiles = new ArrayList<>();
    SlotList going = givenUp;
    if (index > 0) {
      SlotList taken = taken(gone.height());
      going = givenUp.in(taken);
      givenUp = givenUp(gone.height()).with(givenUp.without(going));
      change(
          SavedKeys.taken(strand, next.height()), taken(next.height()).with(taken.without(going)));
      files.addAll(gone.files());
    } else {
      givenUp = SlotList.EMPTY;
      change(SavedKeys.taken(strand, next.height()), SlotList.EMPTY);
    }
    for (SavedFile file : next.files()) {
      boolean older = index > 0 && all.get(index - 1).height() >= file.closedAt();
      (older ? files : goneFiles).add(file);
    }
    all.set(index + 1, next.with(givenUp.bytes(slots.sizes()), files));
    all.remove(index);
    change(SavedKeys.givenUp(strand, next.height()), givenUp);
    changedLists.remove(SavedKeys.taken(strand, gone.height()));
    changedLists.remove(SavedKeys.givenUp(strand, gone.height()));
    changedRows.remove(gone.height());
    dropped.add(gone.height());
    versions = List.copyOf(all); // before anything of it goes
    release(going);
    goneFiles.forEach(onDroppedFile);
  }

  /// No version needs slots any more.
  void release(SlotList going) throws CorruptStreamException {
    slots.release(going);
    slotBytes = Math.max(0, slotBytes - going.bytes(slots.sizes())); // unknown without a list
  }

  private void giveUp(int index, SlotList givenUp, List<SavedFile> files) {
    List<Saved> all = new ArrayList<>(versions);
    Saved saved = all.get(index);
    change(SavedKeys.givenUp(strand, saved.height()), givenUp);
    all.set(index, saved.with(givenUp.bytes(slots.sizes()), files));
    versions = List.copyOf(all);
  }

  private SlotList taken(long height) throws IOException, CorruptStreamException {
    return list(SavedKeys.taken(strand, height), height);
  }

  private SlotList givenUp(long height) throws IOException, CorruptStreamException {
    return list(SavedKeys.givenUp(strand, height), height);
  }

  private SlotList list(Bytes key, long height) throws IOException, CorruptStreamException {
    SlotList changed = changedLists.get(key);
    if (changed != null) {
      return changed;
    }
    Bytes row = meta.get(key);
    try {
      return row == null ? SlotList.EMPTY : SlotList.decode(row);
    } catch (MalformedException e) {
      throw damage(strand, height, "list of slots: " + e.getMessage());
    }
  }

  private void change(Bytes key, SlotList list) {
    changedLists.put(key, list);
  }

  /// Puts what has changed into the batch of a savepoint.
  void write(MetaBatch batch) {
    for (long height : dropped) {
      batch.delete(SavedKeys.version(strand, height));
      batch.delete(SavedKeys.taken(strand, height));
      batch.delete(SavedKeys.givenUp(strand, height));
    }
    dropped.clear();
    changedLists.forEach((key, list) -> {
      if (list.isEmpty()) {
        batch.delete(key);
      } else {
        batch.put(key, list.encode());
      }
    });
    long newest = versions.getLast().height();
    changedRows.forEach((height, row) -> {
      batch.put(height == newest ? ForestHead.key(strand) : SavedKeys.version(strand, height), row);
    });
    if (newest == 0) {
      batch.delete(ForestHead.key(strand));
      batch.delete(SavedKeys.list(strand));
    } else {
      batch.put(SavedKeys.list(strand), new SavedList(slotBytes, versions).encode(strand));
    }
  }

  /// The batch of the last savepoint was written.
  void saved() {
    changedLists.clear();
    changedRows.clear();
  }

  /// The newest version that cannot have a slot, because a later one took it.
  ///
  /// @return empty if the oldest may have it, or no version is older than the newest
  OptionalLong olderThan(long address) throws IOException, CorruptStreamException {
    List<Saved> all = versions;
    for (int i = all.size() - 1; i > 0; i--) {
      if (taken(all.get(i).height()).contains(address)) {
        return OptionalLong.of(all.get(i - 1).height());
      }
    }
    return OptionalLong.empty();
  }

  /// The same up to a version. The slots that only those above took are in use still.
  SavedVersions upTo(long height) throws IOException, CorruptStreamException {
    List<Saved> older = versions.stream().filter(saved -> saved.height() <= height).toList();
    ForestHead newest = row(height);
    if (newest == null) {
      throw new IllegalArgumentException("no version of block " + height);
    }
    long bytes = slotBytes - takenAbove(height).bytes(slots.sizes());
    SavedVersions same =
        new SavedVersions(meta, slots, strand, new SavedList(bytes, older), onDroppedFile);
    same.changedRows.put(height, newest.encode(strand));
    return same;
  }

  /// The slots that versions above a height took.
  SlotList takenAbove(long height) throws IOException, CorruptStreamException {
    SlotList all = SlotList.EMPTY;
    for (Saved saved : versions) {
      if (saved.height() > height) {
        all = all.with(taken(saved.height()));
      }
    }
    return all;
  }

  /// The keys of the rows of versions above a height.
  List<Bytes> rowsAbove(long height) {
    List<Bytes> keys = new ArrayList<>();
    for (Saved saved : versions) {
      if (saved.height() > height) {
        keys.add(SavedKeys.version(strand, saved.height()));
        keys.add(SavedKeys.taken(strand, saved.height()));
        keys.add(SavedKeys.givenUp(strand, saved.height()));
      }
    }
    return keys;
  }

  /// No version can be asked for any more.
  void forget() {
    versions = List.of();
  }

  /// The state is replaced by another one: its slots go.
  ///
  /// @param newest those of the newest version, and those that it has given up since it was saved
  void abandon(SlotList newest) throws IOException, CorruptStreamException {
    List<Saved> all = versions;
    versions = List.of();
    release(newest);
    for (Saved saved : all) {
      release(givenUp(saved.height()));
    }
  }
}

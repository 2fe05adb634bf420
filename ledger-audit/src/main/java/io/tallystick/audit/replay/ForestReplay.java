package io.tallystick.audit.replay;

import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The forest of partitions, oldest first, and the fold that looks through the oldest. Not
/// thread-safe. Source: `docs/formats/forest.md`, "What a block does".
final class ForestReplay implements AutoCloseable {
  private static final int CLOSED_BEFORE_FOLD = 8;
  private static final int LOOKED_AT_PER_KEY = 2;

  private final long capacity;
  private final PartitionShape shape;
  private final ForestHasher hasher = new ForestHasher();
  private final BlockFile file;
  private final StateEntryView other = new StateEntryView();
  private final List<ClosedPartition> closed = new ArrayList<>();
  private @Nullable OpenPartition open;
  private final long hashBytesMax; // of the open partition, while its entries' hashes are kept
  private long openBytes;
  private long nextNumber;
  private Fold fold = Fold.AT_FIRST;
  private ClosedPartition.@Nullable Cursor cursor;
  private @Nullable Digest root;

  /// How far the fold has come.
  ///
  /// @param passEnd number of the newest partition of the pass; negative if none runs
  /// @param position index of the next entry to look at, in the oldest partition
  /// @param carried by this pass (S)
  /// @param carriedBefore by the pass before (B)
  record Fold(long passEnd, long position, long carried, long carriedBefore) {
    static final Fold AT_FIRST = new Fold(-1, 0, 0, 0);

    boolean runs() {
      return passEnd >= 0;
    }
  }

  ForestReplay(StateParams params, ReplayMemory memory) {
    this.capacity = params.entriesMax();
    this.shape = new PartitionShape(params.leafEntriesMax(), params.innerEntriesMax(), hasher);
    this.hashBytesMax = memory.bytesMax() / 2;
    this.file = new BlockFile(memory);
  }

  /// Sets `view` to the newest entry of a key.
  ///
  /// @return false if there is none
  boolean find(byte[] key, StateEntryView view) throws IOException {
    return (open != null && open.find(key, view)) || findClosed(key, 0, view);
  }

  /// @param from the oldest partition that counts
  private boolean findClosed(byte[] key, int from, StateEntryView view) throws IOException {
    for (int i = closed.size() - 1; i >= from; i--) {
      if (closed.get(i).find(key, view)) {
        return true;
      }
    }
    return false;
  }

  /// A block's last entry of each key; at least one.
  void apply(long height, SortedMap<Bytes, byte[]> entries) throws IOException {
    root = null;
    OpenPartition newest = open;
    if (newest == null) {
      newest = new OpenPartition(nextNumber++, height, PartitionNode.Leaf.EMPTY);
      openBytes = PartitionNode.Leaf.EMPTY.bytes();
      open = newest;
    }
    TreeMap<Bytes, byte[]> all = new TreeMap<>(entries);
    carryOver(newest, entries, all);
    byte[][] keys = new byte[all.size()][];
    int at = 0;
    for (Bytes key : all.keySet()) {
      keys[at++] = key.unsafeArray();
    }
    byte[][] encoded = all.values().toArray(byte[][]::new);
    newest.grow(shape, new NewEntries(keys, encoded, hasher.records(encoded)));
    hasher.hashAll(newest.root());
    openBytes += shape.takeGrown();
    if (openBytes > hashBytesMax && shape.keepsHashes()) {
      shape.keepHashes(false);
      openBytes -= newest.dropRecordHashes();
    }
    if (newest.entryCount() >= capacity) {
      closed.add(newest.close(height, hasher, file));
      open = null;
      openBytes = 0;
      shape.keepHashes(true);
    }
  }

  /// Adds to `all` what the fold carries over beside this block's entries.
  private void carryOver(
      OpenPartition newest, SortedMap<Bytes, byte[]> entries, SortedMap<Bytes, byte[]> all)
      throws IOException {
    if (!fold.runs() && passIsDue(newest, entries)) {
      fold = new Fold(closed.getLast().number(), fold.position, 0, fold.carriedBefore);
    }
    long left = (long) LOOKED_AT_PER_KEY * entries.size();
    for (; fold.runs() && left > 0; left--) {
      StateEntryView entry = cursor().next();
      byte[] key = entry.key().unsafeArray();
      boolean current =
          entry.present()
              && !entries.containsKey(entry.key())
              && !newest.find(key, other)
              && !findClosed(key, 1, other);
      if (current) {
        all.put(entry.key(), entry.encoded());
      }
      looked(current);
    }
  }

  private boolean passIsDue(OpenPartition newest, SortedMap<Bytes, byte[]> entries) {
    if (closed.size() < CLOSED_BEFORE_FOLD) {
      return false;
    }
    long count = newest.entryCount();
    for (Bytes key : entries.keySet()) {
      count += newest.find(key.unsafeArray(), other) ? 0 : 1;
    }
    for (ClosedPartition partition : closed) {
      count += partition.entryCount();
    }
    return count > 2 * fold.carriedBefore;
  }

  private ClosedPartition.Cursor cursor() throws IOException {
    ClosedPartition.Cursor at = cursor;
    if (at == null) {
      at = closed.getFirst().new Cursor();
      at.skip(fold.position);
      cursor = at;
    }
    return at;
  }

  /// The entry at the fold's position was looked at.
  private void looked(boolean carriedOver) throws IOException {
    long carried = fold.carried + (carriedOver ? 1 : 0);
    ClosedPartition oldest = closed.getFirst();
    if (fold.position + 1 < oldest.entryCount()) {
      fold = new Fold(fold.passEnd, fold.position + 1, carried, fold.carriedBefore);
      return;
    }
    closed.removeFirst();
    oldest.drop();
    cursor = null;
    fold =
        oldest.number() == fold.passEnd
            ? new Fold(-1, 0, carried, carried)
            : new Fold(fold.passEnd, 0, carried, fold.carriedBefore);
  }

  Digest root() {
    Digest known = root;
    if (known == null) {
      List<Bytes> records = new ArrayList<>();
      closed.forEach(partition -> records.add(partition.record()));
      if (open != null) {
        records.add(open.record(hasher));
      }
      known = hasher.forest(records);
      root = known;
    }
    return known;
  }

  boolean isEmpty() {
    return nextNumber == 0;
  }

  long bytes() {
    long sum = openBytes;
    for (ClosedPartition partition : closed) {
      sum += partition.bytes();
    }
    return sum;
  }

  long spilledBytes() {
    return file.bytes();
  }

  /// Whether a partition that is newer than the oldest has this key.
  boolean isNewer(byte[] key) throws IOException {
    return (open != null && open.find(key, other)) || findClosed(key, 1, other);
  }

  /// Entries from which on a partition is closed.
  long capacity() {
    return capacity;
  }

  ForestHasher hasher() {
    return hasher;
  }

  List<ClosedPartition> closed() {
    return closed;
  }

  @Nullable OpenPartition open() {
    return open;
  }

  Fold fold() {
    return fold;
  }

  long nextNumber() {
    return nextNumber;
  }

  /// Begins to write a closed partition as it was.
  ClosedPartition.Writer closedWriter(ClosedPartition.Head head) {
    return new ClosedPartition.Writer(
        head,
        hasher.partition(
            head.number(),
            head.firstHeight(),
            head.lastHeight(),
            head.entryCount(),
            head.rootHash().unsafeArray()),
        file);
  }

  /// Takes a forest as it was.
  ///
  /// @param openTreeBytes what the tree of the open partition takes
  void restore(
      long number,
      Fold folded,
      List<ClosedPartition> partitions,
      @Nullable OpenPartition newest,
      long openTreeBytes) {
    nextNumber = number;
    fold = folded;
    closed.addAll(partitions);
    open = newest;
    openBytes = openTreeBytes;
    root = null;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}

package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.PartitionSearch;
import io.tallystick.merkle.forest.RangeNode;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/// The state of a strand as of one block: values, deletions, and the proofs of them. Immutable.
public final class ForestVersion {
  /// Of an entry in a proof, but for its key: commitment, size, jsn, and its share of a node.
  private static final int ENTRY_BYTES = 96;

  private final long height;
  private final List<ForestPartition> partitions;
  private final Fold fold;
  private final long nextNumber;
  private final StateRoot root;

  /// @param partitions oldest first
  /// @param nextNumber of the next partition that is begun
  ForestVersion(long height, List<ForestPartition> partitions, Fold fold, long nextNumber) {
    this.height = height;
    this.partitions = List.copyOf(partitions);
    this.fold = fold;
    this.nextNumber = nextNumber;
    this.root = StateRoot.over(this.partitions.stream().map(ForestPartition::encode).toList());
  }

  /// The state before any operation.
  static ForestVersion empty() {
    return new ForestVersion(0, List.of(), Fold.AT_FIRST, 0);
  }

  public StateRoot root() {
    return root;
  }

  /// Height of the last block that changed it; 0 if none has.
  public long height() {
    return height;
  }

  /// Of all partitions, tombstones and replaced ones included.
  public long entryCount() {
    return partitions.stream().mapToLong(ForestPartition::entryCount).sum();
  }

  List<ForestPartition> partitions() {
    return partitions;
  }

  Fold fold() {
    return fold;
  }

  long nextNumber() {
    return nextNumber;
  }

  /// The newest entry of a key, which may be a tombstone; empty if no partition has one.
  public Optional<HeldEntry> find(Bytes key) {
    int index = indexOf(key);
    return index < 0 ? Optional.empty() : Optional.ofNullable(partitions.get(index).find(key));
  }

  /// Index of the newest partition that has the key; −1 if none has.
  private int indexOf(Bytes key) {
    for (int i = partitions.size() - 1; i >= 0; i--) {
      if (partitions.get(i).find(key) != null) {
        return i;
      }
    }
    return -1;
  }

  /// That {@link #find} answers the truth.
  public StateLookup lookup(Bytes key) {
    int first = Math.max(0, indexOf(key));
    List<PartitionSearch> searches = new ArrayList<>();
    for (ForestPartition partition : partitions.subList(first, partitions.size())) {
      searches.add(search(partition, key));
    }
    List<Bytes> encoded = partitions.stream().map(ForestPartition::encode).toList();
    List<Digest> roots = outside(encoded, first, partitions.size() - first);
    return new StateLookup(partitions.size(), first, roots, searches);
  }

  private static PartitionSearch search(ForestPartition partition, Bytes key) {
    List<PartitionSearch.Step> steps = new ArrayList<>();
    ForestNode node = partition.root();
    while (true) {
      int slot = node.separators().slot(key);
      steps.add(
          new PartitionSearch.Step(
              node.level(),
              node.separators(),
              node.records().get(slot),
              RecordTree.of(node.records()).inclusionPath(slot)));
      if (!(node instanceof ForestNode.Inner inner)) {
        return new PartitionSearch(partition.encode(), steps);
      }
      node = inner.children().get(slot);
    }
  }

  /// A page of the keys `[from, to)` that have a value.
  ///
  /// @param entries in key order
  /// @param end behind the last key that it covers; empty if it reaches the end of the state
  public record Page(List<HeldEntry> entries, Optional<Bytes> end) {}

  /// @param to behind the last key; null for all from `from` on
  /// @param limit the most entries of the page, at least 1
  /// @param bytesMax it ends behind the key that passes so many bytes of entries looked at, those
  ///   of older partitions and tombstones included: about what its proof takes
  public Page page(Bytes from, @Nullable Bytes to, int limit, long bytesMax) {
    Queue<EntryCursor> cursors = new PriorityQueue<>();
    for (ForestPartition partition : partitions) {
      push(new EntryCursor(partition, from), cursors);
    }
    List<HeldEntry> entries = new ArrayList<>();
    long bytes = 0;
    Bytes last = from;
    while (!cursors.isEmpty()) {
      HeldEntry newest = current(cursors.element());
      Bytes key = newest.key();
      if (to != null && key.compareTo(to) >= 0) {
        break;
      }
      if (bytes >= bytesMax && bytes > 0) {
        return new Page(entries, Optional.of(behind(last)));
      }
      if (newest.entry().isPresent()) {
        if (entries.size() == limit) {
          return new Page(entries, Optional.of(behind(entries.getLast().key())));
        }
        entries.add(newest);
      }
      bytes += (long) skip(key, cursors) * (key.size() + ENTRY_BYTES);
      last = key;
    }
    return new Page(entries, Optional.ofNullable(to));
  }

  private static void push(EntryCursor cursor, Queue<EntryCursor> cursors) {
    if (cursor.current() != null) {
      cursors.add(cursor);
    }
  }

  private static HeldEntry current(EntryCursor cursor) {
    return Objects.requireNonNull(cursor.current());
  }

  /// Steps over all entries of the key that is next.
  ///
  /// @return how many partitions have one
  private static int skip(Bytes key, Queue<EntryCursor> cursors) {
    int count = 0;
    while (!cursors.isEmpty() && current(cursors.element()).key().equals(key)) {
      EntryCursor cursor = cursors.remove();
      cursor.advance();
      push(cursor, cursors);
      count++;
    }
    return count;
  }

  /// The smallest key above `key`: where the next page begins behind one that ends with it.
  public static Bytes behind(Bytes key) {
    byte[] next = new byte[key.size() + 1];
    key.copyInto(next, 0);
    return Bytes.wrap(next);
  }

  /// That a page over these keys holds all of them.
  public StateRange range(Bytes from, @Nullable Bytes to) {
    List<StateRange.Part> parts = new ArrayList<>();
    for (ForestPartition partition : partitions) {
      parts.add(new StateRange.Part(partition.encode(), rangeNode(partition.root(), from, to)));
    }
    return new StateRange(parts);
  }

  private static RangeNode rangeNode(ForestNode node, Bytes from, @Nullable Bytes to) {
    int first = node.separators().slot(from);
    int last = lastSlot(node, to);
    List<RangeNode.Item> items = new ArrayList<>();
    for (int slot = first; slot <= last; slot++) {
      items.add(
          switch (node) {
            case ForestNode.Leaf leaf -> new RangeNode.EntryItem(leaf.records().get(slot));
            case ForestNode.Inner inner -> {
              ForestNode child = inner.children().get(slot);
              yield new RangeNode.ChildItem(child.entryCount(), rangeNode(child, from, to));
            }
          });
    }
    List<Digest> roots = outside(node.records(), first, last - first + 1);
    return new RangeNode(node.level(), node.separators(), first, items, roots);
  }

  /// The last slot of a node that keys below `to` may be in.
  private static int lastSlot(ForestNode node, @Nullable Bytes to) {
    return to == null ? node.separators().size() : node.separators().countBelow(to);
  }

  private static List<Digest> outside(List<Bytes> records, int first, int count) {
    return records.isEmpty() ? List.of() : RecordTree.of(records).outsideRange(first, count);
  }
}

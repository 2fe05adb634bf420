package io.tallystick.testkit.forest;

import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/// A state forest by the rules of `docs/formats/forest.md`, block by block: lists, recursion, and
/// every hash computed from the whole. Shares nothing with the code under test but the value types.
/// Not thread-safe.
public final class ReferenceForest {
  private static final int CLOSED_BEFORE_FOLD = 8;

  /// A partition and its tree.
  ///
  /// @param entries all of them, in key order
  record Partition(
      long number,
      long firstHeight,
      OptionalLong lastHeight,
      NavigableMap<Bytes, StateEntry> entries,
      ReferenceNode root) {
    Bytes encode() {
      return ReferenceHashing.partition(number, firstHeight, lastHeight, root);
    }

    Partition with(NavigableMap<Bytes, StateEntry> added, ReferenceNode.Limits limits) {
      NavigableMap<Bytes, StateEntry> all = new TreeMap<>(entries);
      all.putAll(added);
      ReferenceNode grown = ReferenceNode.grow(List.of(root), added, limits);
      return new Partition(number, firstHeight, lastHeight, all, grown);
    }

    Partition closed(long height) {
      return new Partition(number, firstHeight, OptionalLong.of(height), entries, root);
    }
  }

  /// What a fold carries over of an entry that it looks at.
  @FunctionalInterface
  public interface Carrying {
    /// The rule of the page: an entry that is present and whose key no newer partition has.
    Carrying RIGHT =
        (entry, isReplaced) ->
            entry.isPresent() && !isReplaced ? Optional.of(entry) : Optional.empty();

    /// @param isReplaced whether a newer partition has the key, this block's entries included
    Optional<StateEntry> carried(StateEntry entry, boolean isReplaced);
  }

  private final StateParams params;
  private final Carrying carrying;
  private final ReferenceNode.Limits limits;
  private final List<Partition> partitions = new ArrayList<>();
  private long nextNumber;
  private boolean passRuns;
  private long passEnd;
  private int position;
  private long carriedInPass;
  private long carriedInLastPass;
  private int passes;

  public ReferenceForest(StateParams params) {
    this(params, Carrying.RIGHT);
  }

  /// A forest whose fold may break the rule.
  public ReferenceForest(StateParams params, Carrying carrying) {
    this.params = params;
    this.carrying = carrying;
    this.limits = new ReferenceNode.Limits(params.leafEntriesMax(), params.innerEntriesMax());
  }

  /// Applies the operations of a block, in order, preconditions judged already; of those on one key
  /// the last one counts.
  public void apply(long height, List<StateEntry> writes) {
    if (writes.isEmpty()) {
      return;
    }
    NavigableMap<Bytes, StateEntry> added = new TreeMap<>();
    writes.forEach(entry -> added.put(entry.key(), entry));
    int m = added.size();
    Optional<Partition> open = takeOpen();
    added.putAll(fold(m, added, open));
    Partition grown = open.isPresent() ? open.get().with(added, limits) : begin(height, added);
    boolean full = grown.entries().size() >= params.entriesMax();
    partitions.add(full ? grown.closed(height) : grown);
  }

  private Optional<Partition> takeOpen() {
    boolean isOpen = !partitions.isEmpty() && partitions.getLast().lastHeight().isEmpty();
    return isOpen ? Optional.of(partitions.removeLast()) : Optional.empty();
  }

  private Partition begin(long height, NavigableMap<Bytes, StateEntry> entries) {
    ReferenceNode root = ReferenceNode.grow(List.of(), entries, limits);
    return new Partition(nextNumber++, height, OptionalLong.empty(), new TreeMap<>(entries), root);
  }

  /// What a block of `m` distinct keys carries over; here `partitions` holds the closed ones only.
  private NavigableMap<Bytes, StateEntry> fold(
      int m, NavigableMap<Bytes, StateEntry> added, Optional<Partition> open) {
    NavigableMap<Bytes, StateEntry> newest = new TreeMap<>();
    open.ifPresent(partition -> newest.putAll(partition.entries()));
    newest.putAll(added);
    NavigableMap<Bytes, StateEntry> carried = new TreeMap<>();
    if (!passRuns && passIsDue(newest.size())) {
      passRuns = true;
      passEnd = partitions.getLast().number();
      carriedInPass = 0;
    }
    for (int looked = 0; passRuns && looked < 2 * m; looked++) {
      Partition oldest = partitions.getFirst();
      StateEntry entry = List.copyOf(oldest.entries().values()).get(position++);
      boolean isReplaced = newest.containsKey(entry.key()) || isNewer(entry.key());
      Optional<StateEntry> copy = carrying.carried(entry, isReplaced);
      if (copy.isPresent()) {
        carried.put(entry.key(), copy.get());
        carriedInPass++;
      }
      if (position == oldest.entries().size()) {
        leave(oldest);
      }
    }
    return carried;
  }

  private boolean passIsDue(int openEntries) {
    long all = openEntries + partitions.stream().mapToLong(p -> p.entries().size()).sum();
    return partitions.size() >= CLOSED_BEFORE_FOLD && all > 2 * carriedInLastPass;
  }

  /// Whether a closed partition other than the oldest has the key.
  private boolean isNewer(Bytes key) {
    return partitions.stream().skip(1).anyMatch(p -> p.entries().containsKey(key));
  }

  private void leave(Partition oldest) {
    partitions.removeFirst();
    position = 0;
    if (oldest.number() == passEnd) {
      passRuns = false;
      passes++;
      carriedInLastPass = carriedInPass;
    }
  }

  public Digest root() {
    return ReferenceHashing.forest(partitions.stream().map(Partition::encode).toList());
  }

  /// The newest entry of a key; a tombstone once it was deleted, until that is dropped.
  public Optional<StateEntry> newest(Bytes key) {
    for (Partition partition : partitions.reversed()) {
      StateEntry entry = partition.entries().get(key);
      if (entry != null) {
        return Optional.of(entry);
      }
    }
    return Optional.empty();
  }

  /// Whether partition 0 is still there, or no partition ever was.
  public boolean knowsAll() {
    return partitions.isEmpty() || partitions.getFirst().number() == 0;
  }

  /// The number of passes of the fold that have ended.
  public int passes() {
    return passes;
  }

  /// The number of entries of all partitions.
  public long entryCount() {
    return partitions.stream().mapToLong(p -> p.entries().size()).sum();
  }

  /// How far the fold has come: passEnd, −1 if no pass runs; position, S and B.
  public List<Long> fold() {
    return List.of(
        passRuns ? passEnd : -1L,
        (long) position,
        passRuns ? carriedInPass : carriedInLastPass,
        carriedInLastPass);
  }

  long nextNumber() {
    return nextNumber;
  }

  List<Partition> partitions() {
    return List.copyOf(partitions);
  }
}

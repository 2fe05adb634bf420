package io.tallystick.storage.forest;

import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The state forest of one strand, advanced by whole blocks. One owner thread applies; each version
/// may be read by any thread. Source: ViDB sections 3 and 4; `docs/formats/forest.md`.
public final class StateForest {
  private static final int CLOSED_BEFORE_FOLD = 8;

  private final StateParams params;
  private final TreeUpdate update;
  private final ReplacedNodes replaced;
  private ForestVersion newest;

  /// @param newest as of the newest block
  /// @param replaced what the savepoint must delete
  StateForest(StateParams params, ForestVersion newest, ReplacedNodes replaced) {
    this.params = params;
    this.newest = newest;
    this.replaced = replaced;
    this.update = new TreeUpdate(params.leafEntriesMax(), params.innerEntriesMax(), replaced::add);
  }

  /// A forest without entries, which is not saved.
  public static StateForest inMemory(StateParams params) {
    return new StateForest(params, ForestVersion.empty(), new ReplacedNodes());
  }

  public ForestVersion version() {
    return newest;
  }

  /// Nodes that its newest version does not have, but earlier ones had: what keeping those costs.
  public long replacedNodes() {
    return replaced.count();
  }

  ReplacedNodes replaced() {
    return replaced;
  }

  /// Applies the operations of a block whose preconditions hold.
  ///
  /// @param writes in order; of those on one key the last one counts
  public ForestVersion apply(long height, List<HeldEntry> writes) {
    if (writes.isEmpty()) {
      return newest;
    }
    NavigableMap<Bytes, HeldEntry> added = new TreeMap<>();
    writes.forEach(held -> added.put(held.key(), held));
    int distinct = added.size();
    List<ForestPartition> closed = new ArrayList<>(newest.partitions());
    ForestPartition open =
        !closed.isEmpty() && closed.getLast().isOpen() ? closed.removeLast() : null;
    Fold fold = fold(distinct, added, closed, open);
    long nextNumber = newest.nextNumber();
    ForestPartition grown =
        open == null
            ? begin(nextNumber++, height, added)
            : new ForestPartition(
                open.number(),
                open.firstHeight(),
                OptionalLong.empty(),
                update.apply(open.root(), List.copyOf(added.values())));
    closed.add(grown.entryCount() >= params.entriesMax() ? grown.closedAt(height) : grown);
    newest = new ForestVersion(height, closed, fold, nextNumber);
    return newest;
  }

  private ForestPartition begin(long number, long height, NavigableMap<Bytes, HeldEntry> entries) {
    ForestNode root = update.apply(null, List.copyOf(entries.values()));
    return new ForestPartition(number, height, OptionalLong.empty(), root);
  }

  /// Adds to a block's entries what the fold carries over, and removes from `closed` the partitions
  /// that it has looked through.
  private Fold fold(
      int distinct,
      NavigableMap<Bytes, HeldEntry> added,
      List<ForestPartition> closed,
      @Nullable ForestPartition open) {
    Fold fold = newest.fold();
    if (!fold.runs() && passIsDue(fold, added, closed, open)) {
      fold = fold.begun(closed.getLast().number());
    }
    List<HeldEntry> carried = new ArrayList<>();
    for (long looked = 0; fold.runs() && looked < 2L * distinct; looked++) {
      ForestPartition oldest = closed.getFirst();
      HeldEntry held = oldest.at(fold.position());
      boolean current =
          held.entry().isPresent()
              && !added.containsKey(held.key())
              && !isIn(closed.subList(1, closed.size()), open, held.key());
      if (current) {
        carried.add(held);
      }
      fold = fold.looked(current);
      if (fold.position() == oldest.entryCount()) {
        closed.removeFirst();
        replaced.addAll(oldest.root());
        fold = fold.left(oldest.number());
      }
    }
    carried.forEach(held -> added.put(held.key(), held));
    return fold;
  }

  private static boolean passIsDue(
      Fold fold,
      NavigableMap<Bytes, HeldEntry> added,
      List<ForestPartition> closed,
      @Nullable ForestPartition open) {
    if (closed.size() < CLOSED_BEFORE_FOLD) {
      return false;
    }
    long all = closed.stream().mapToLong(ForestPartition::entryCount).sum();
    for (Bytes key : added.keySet()) {
      all += open == null || open.find(key) == null ? 1 : 0;
    }
    return all + (open == null ? 0 : open.entryCount()) > 2 * fold.carriedBefore();
  }

  private static boolean isIn(
      List<ForestPartition> newer, @Nullable ForestPartition open, Bytes key) {
    if (open != null && open.find(key) != null) {
      return true;
    }
    for (ForestPartition partition : newer) {
      if (partition.find(key) != null) {
        return true;
      }
    }
    return false;
  }
}
